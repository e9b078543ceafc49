// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import Foundation
import PlayheadEditing
import PlayheadUI

/// A picture or a video of the slide show.
struct Slide {
    let name: String
    let asset: Asset
    /// A Boolean value that indicates whether the slide is a picture, which is enlarged slowly.
    var moves = true

    /// The size of the pictures of the slide show.
    static let pictureSize = (width: 640, height: 360)
    /// The longest time that a picture is shown.
    private static let longest = MediaTime(value: 60, timescale: 1)

    init(file: String) {
        name = file.split(separator: "/").last.map(String.init) ?? file
        var options = AssetOptions()
        options.stillDuration = Self.longest
        asset = URLAsset(file, options: options)
    }

    private init(name: String, asset: Asset, moves: Bool = true) {
        (self.name, self.asset, self.moves) = (name, asset, moves)
    }

    /// Returns slides that the program makes: four landscapes, and a video between them.
    static func made(in folder: URL) throws -> [Slide] {
        var slides = try Landscape.all.map { landscape in
            let file = folder.appendingPathComponent("\(landscape.name).png").path
            try ImageFile.writePNG(
                landscape.image(width: pictureSize.width, height: pictureSize.height),
                to: file)
            return Slide(name: landscape.name, asset: Slide(file: file).asset)
        }
        let film = Films.synthetic("Bars", seconds: 4) { media in
            (media.width, media.height) = pictureSize
            media.sounds = []
        }
        slides.insert(Slide(name: "A video", asset: film, moves: false), at: 2)
        return slides
    }

    /// Inserts the beginning of the slide, and returns the size of its frames.
    func insert(
        into track: MutableCompositionTrack, in range: MediaTimeRange
    ) async throws -> (width: Double, height: Double) {
        let description = try await asset.load(.description)
        guard let source = description.preferredTrack(of: .video) else {
            throw NoPicture(name: name)
        }
        let start = description.startTime
        let available = description.end.isNumeric ? description.end - start : range.duration
        try track.insertTimeRange(
            MediaTimeRange(start: start, duration: min(available, range.duration)), of: source,
            in: asset, at: range.start)
        return source.naturalSize
    }

    /// Returns the rules for the slide: it fills the picture, and a picture is enlarged slowly.
    func layer(
        ofTrack trackID: Int, size: (width: Double, height: Double), in range: MediaTimeRange,
        _ index: Int
    ) -> VideoCompositionLayerInstruction {
        var layer = VideoCompositionLayerInstruction(trackID: trackID)
        let first = Self.transform(size, zoom: 1)
        guard moves else {
            layer.setTransform(first, at: range.start)
            return layer
        }
        let second = Self.transform(size, zoom: 1.12)
        layer.setTransformRamp(
            from: index % 2 == 0 ? first : second, to: index % 2 == 0 ? second : first,
            timeRange: range)
        return layer
    }

    private static func transform(
        _ size: (width: Double, height: Double), zoom: Double
    ) -> Transform2D {
        let (width, height) = (Double(pictureSize.width), Double(pictureSize.height))
        let scale = max(width / size.width, height / size.height) * zoom
        return Transform2D.scale(x: scale, y: scale).concatenating(
            .translation(
                x: (width - size.width * scale) / 2, y: (height - size.height * scale) / 2))
    }
}

/// The error for a file without a picture.
private struct NoPicture: Error, CustomStringConvertible {
    let name: String

    var description: String { "\(name): it has no picture; name a picture or a video" }
}
