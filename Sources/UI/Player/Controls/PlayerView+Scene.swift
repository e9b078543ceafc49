// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
package import PlayheadLayers
package import PlayheadPlayback
import PlayheadTextures

extension PlayerItem {
    /// A Boolean value that indicates whether the item is known to have no video. Until this is
    /// known, the last frame of the previous item stays visible.
    fileprivate var isWithoutPictures: Bool {
        status == .readyToPlay && playingTracks.video == nil
    }
}

/// The scene of a view.
extension PlayerView {
    /// Builds the scene. If it differs from the previous one, it is passed to the handler.
    package func rebuild() {
        if let pageGround {
            return show(
                Scene(background: .color(pageGround), layers: pageLayers + controlLayers))
        }
        var film = filmLayer(of: output, width: size.width, height: size.height)
        if framesCover { film.isHidden = true }
        let films = filmArrangement?(film) ?? [film]
        let texts = subtitleProvider?(pictureRect, size.width, size.height) ?? []
        show(
            Scene(
                background: background,
                layers: films + coverLayers + texts + contentOverlay + pageLayers + controlLayers))
    }

    /// Returns a scene of the given size that contains the video alone.
    package func filmScene(width: Int, height: Int, hasSubtitles: Bool) -> Scene {
        var film = filmLayer(of: output, width: width, height: height)
        film.frame = .whole
        // The rotation is the only one of the shape and position settings that applies here.
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

    /// Returns the video with its overlay, without controls and pages, for use in another window.
    ///
    /// - Parameters:
    ///   - film: Another output of the same player.
    ///   - texts: Returns the layers of the subtitles for that output.
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
        // If a host suppresses rendering, it shows the frames itself. The last frame does not stay
        // visible if the item was removed, or if the next item has audio only.
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

    /// Returns the rectangle of the video according to the settings, or nil if all settings have
    /// their defaults.
    private func settledFrame(width: Int, height: Int) -> LayerRect? {
        guard let picture = player.currentItem?.presentationSize else { return nil }
        return pictureSettings.frame(
            of: (picture.width, picture.height), inWidth: Double(width), height: Double(height))
    }

    /// The rectangle of the video, in pixels of the view. It is the whole view while there is no
    /// video.
    ///
    /// - Corresponds to: `AVPlayerView.videoBounds`.
    package var pictureRect: LayerRect { pictureRect(width: size.width, height: size.height) }

    /// Converts a point of the view to a position in the upright video, where (0, 0) is the video's
    /// upper left corner and (1, 1) its lower right corner. For a point outside of the video, a
    /// coordinate is below 0 or above 1.
    ///
    /// - Parameter point: The point, in pixels of the view.
    package func picturePlace(at point: SIMD2<Double>) -> SIMD2<Double> {
        let settled = settledFrame(width: size.width, height: size.height)
        let rect = settled ?? pictureRect
        let size = SIMD2(max(rect.width, 1), max(rect.height, 1))
        let fromMiddle = point - SIMD2(rect.x, rect.y) - size / 2
        // This undoes the rotation around the centre.
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
