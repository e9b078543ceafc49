// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
package import PlayheadLayers
package import PlayheadPlayback
import PlayheadTextures

extension PlayerItem {
    /// Whether it is known to show none: until it is, the picture of the item before stays.
    fileprivate var isWithoutPictures: Bool {
        status == .readyToPlay && playingTracks.video == nil
    }
}

/// What a view shows, put together.
extension PlayerView {
    /// Puts together what is shown, and hands it on if it is different.
    package func rebuild() {
        var film = filmLayer(of: output, width: size.width, height: size.height)
        if framesCover { film.isHidden = true }
        let films = filmArrangement?(film) ?? [film]
        let texts = subtitleProvider?(pictureRect, size.width, size.height) ?? []
        show(
            Scene(
                background: background,
                layers: films + coverLayers + texts + contentOverlay + pageLayers + controlLayers))
    }

    /// The film alone, as a picture of a size.
    package func filmScene(width: Int, height: Int, hasSubtitles: Bool) -> Scene {
        var film = filmLayer(of: output, width: width, height: height)
        film.frame = .whole
        // Of the settings that move the picture only its turn is taken along.
        var turn = PictureSettings()
        turn.rotation = pictureSettings.rotation
        let size = player.currentItem?.presentationSize ?? .zero
        if let frame = turn.frame(
            of: (size.width, size.height), inWidth: Double(width), height: Double(height))
        {
            film.frame = .pixels(frame)
        }
        film.gravity = .resize
        film.isHidden = false
        let whole = LayerRect(x: 0, y: 0, width: Double(width), height: Double(height))
        let texts = hasSubtitles ? subtitleProvider?(whole, width, height) ?? [] : []
        return Scene(background: background, layers: [film] + texts)
    }

    /// The film as it is seen, with what lies over it, but neither controls nor words of the window's: for
    /// another window of a size in pixels.
    ///
    /// - Parameters:
    ///   - film: another output of the same player.
    ///   - texts: makes layers of that output's subtitles.
    package func plainScene(
        of film: PlayerVideoOutput, texts: SubtitleProvider, width: Int, height: Int
    ) -> Scene {
        let picture = pictureRect(width: width, height: height)
        return Scene(
            background: background,
            layers: [filmLayer(of: film, width: width, height: height)]
                + texts(picture, width, height) + contentOverlay)
    }

    private func filmLayer(of source: PlayerVideoOutput, width: Int, height: Int) -> Layer {
        var film = Layer(.video(source), gravity: videoGravity)
        film.effects =
            equalizer.repairs(for: pictureSettings) + effects
            + equalizer.effects(for: pictureSettings)
        // Whoever asked for that shows the film elsewhere, or in another way; and of a film that was taken
        // away, or is followed by sound alone, nothing stays.
        film.isHidden =
            player.currentItem.map { $0.suppressesPlayerRendering || $0.isWithoutPictures } ?? true
        if pictureSettings.isDeinterlaced { film.deinterlacing = .adaptive }
        if let frame = settledFrame(width: width, height: height) {
            film.frame = .pixels(frame)
            film.gravity = .resize
            film.transform = .rotation(angle: pictureSettings.rotation * .pi / 180)
        }
        return film
    }

    /// Where settings put the picture; nil where there are none.
    private func settledFrame(width: Int, height: Int) -> LayerRect? {
        guard let picture = player.currentItem?.presentationSize else { return nil }
        return pictureSettings.frame(
            of: (picture.width, picture.height), inWidth: Double(width), height: Double(height))
    }

    /// Where the film's picture lies, in the view's pixels; the whole view while there is none.
    ///
    /// - Corresponds to: `AVPlayerView.videoBounds`.
    package var pictureRect: LayerRect { pictureRect(width: size.width, height: size.height) }

    /// Where in the film's picture a point of the view lies, in fractions of the upright picture from its
    /// upper left corner: below 0 and above 1 beside it.
    ///
    /// - Parameter point: in the view's pixels.
    package func picturePlace(at point: SIMD2<Double>) -> SIMD2<Double> {
        let settled = settledFrame(width: size.width, height: size.height)
        let rect = settled ?? pictureRect
        let size = SIMD2(max(rect.width, 1), max(rect.height, 1))
        let fromMiddle = point - SIMD2(rect.x, rect.y) - size / 2
        // Back by the angle by which the picture is turned about its middle.
        let angle = settled == nil ? 0 : -pictureSettings.rotation * .pi / 180
        let (sine, cosine) = (sin(angle), cos(angle))
        let upright = SIMD2(
            fromMiddle.x * cosine - fromMiddle.y * sine,
            fromMiddle.x * sine + fromMiddle.y * cosine)
        return upright / size + 0.5
    }

    private func pictureRect(width: Int, height: Int) -> LayerRect {
        let whole = LayerRect(x: 0, y: 0, width: Double(width), height: Double(height))
        if let frame = settledFrame(width: width, height: height) {
            let reach = pictureSettings.turned(width: frame.width, height: frame.height)
            return LayerRect(
                x: frame.x + (frame.width - reach.width) / 2,
                y: frame.y + (frame.height - reach.height) / 2, width: reach.width,
                height: reach.height)
        }
        guard let picture = player.currentItem?.presentationSize, picture != .zero,
            whole.width > 0, whole.height > 0
        else { return whole }
        let ratios = (whole.width / picture.width, whole.height / picture.height)
        let scale: Double
        switch videoGravity {
        case .resizeAspect: scale = min(ratios.0, ratios.1)
        case .resizeAspectFill: scale = max(ratios.0, ratios.1)
        default: return whole
        }
        let (seenWidth, seenHeight) = (picture.width * scale, picture.height * scale)
        return LayerRect(
            x: (whole.width - seenWidth) / 2, y: (whole.height - seenHeight) / 2,
            width: seenWidth, height: seenHeight)
    }
}
