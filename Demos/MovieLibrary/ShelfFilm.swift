// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// A video in the list.
@MainActor struct ShelfFilm {
    let asset: Asset
    var description: AssetDescription?
    var thumbnail: PixelBuffer?
    var problem: String?

    // MARK: Properties

    /// The duration, the size and the frame rate, as one line.
    private var summary: [String] {
        guard let description else { return [problem ?? "…"] }
        let video = description.preferredTrack(of: .video)
        var facts: [String] = []
        if let size = video?.naturalSize {
            facts.append("\(Int(size.width)) × \(Int(size.height))")
        }
        if let rate = video?.nominalFrameRate, rate > 0 {
            facts.append("\(rate.brief) fps")
        }
        return [Self.length(description.duration), facts.joined(separator: "  ")]
    }

    /// The details of the playing video.
    var details: [String] {
        guard let description else { return [problem ?? "…"] }
        var lines = [
            ([Self.length(description.duration)] + summary.dropFirst()).joined(separator: "    ")
                + "    " + description.container.split(separator: ",")[0]
        ]
        for track in description.tracks.prefix(2) {
            lines.append(Self.describe(track))
        }
        return lines
    }

    private static func describe(_ track: AssetTrack) -> String {
        let format = track.formatDescription
        if let video = format.video {
            return "Picture: \(format.codec), \(video.width) × \(video.height)"
        }
        if let audio = format.audio {
            return "Sound: \(format.codec), \(audio.sampleRate) Hz, "
                + "\(audio.channelCount) channels"
        }
        return "\(track.mediaType)"
    }

    private static func length(_ duration: MediaTime) -> String {
        guard duration.isNumeric else { return "live" }
        let text = duration.clockDescription
        return text.split(separator: ".").first.map(String.init) ?? text
    }

    // MARK: Layers

    func layers(in rect: LayerRect, on stage: Stage) -> [Layer] {
        let frame = LayerRect(x: rect.x + 6, y: rect.y + 6, width: 128, height: rect.height - 12)
        var picture = stage.box(frame, color: [0, 0, 0, 1], cornerRadius: 5)
        if let thumbnail {
            picture.content = .image(thumbnail)
            picture.gravity = .resizeAspectFill
        }
        let x = frame.x + frame.width + 12
        var name = asset.displayName
        if name.count > 24 { name = name.prefix(23) + "…" }
        var layers = [picture, stage.text(name, size: 14, at: [x, rect.y + 10], isBold: true)]
        for (index, line) in summary.enumerated() {
            layers.append(
                stage.text(
                    line, size: 13, at: [x, rect.y + 33 + Double(index) * 19],
                    color: Palette.dimmed))
        }
        return layers
    }
}
