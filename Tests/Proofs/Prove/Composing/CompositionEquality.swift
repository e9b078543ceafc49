// SPDX-License-Identifier: Apache-2.0

import CompositionTestSupport
import Foundation
import MediaTestSupport
import PlayheadEditing
import PlayheadUI

/// Random compositions of up to eight tracks, whose pictures are read forward and after seeks,
/// generated as images and exported. Some tracks have effects.
struct CompositionEquality {
    private let folder: TemporaryFolder
    private var pictureCount = 0
    private var seriesCount = 0
    private var differences: [String] = []

    private struct Picture {
        var time: MediaTime
        var duration: MediaTime
        var image: RGBAImage
    }

    /// The effect files of transitions. Other transitions need no effect.
    private static let transitions = [
        "circle": """
        vec4 transition(vec2 uv) {
            float edge = smoothstep(-0.05, 0.05, progress * 1.6 - 0.1 - distance(uv, vec2(0.5)));
            return mix(getFromColor(uv), getToColor(uv), edge);
        }
        """,
        "squares": """
        vec4 transition(vec2 uv) {
            vec2 size = vec2(mix(1.0, 16.0, 1.0 - abs(progress * 2.0 - 1.0))) / vec2(256.0, 32.0);
            vec2 place = (floor(uv / size) + 0.5) * size;
            return mix(getFromColor(place), getToColor(place), progress);
        }
        """,
    ]

    /// The effect files of tracks. One reads its neighbours, one the time of the composition.
    private static let effects = [
        "edges": """
        /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
        void main() {
            vec2 place = isf_FragNormCoord;
            vec4 color = IMG_NORM_PIXEL(inputImage, place);
            vec4 other = IMG_NORM_PIXEL(inputImage, place + vec2(2.0, 1.0) / RENDERSIZE);
            gl_FragColor = vec4(abs(color.rgb - other.rgb) * 0.7 + color.brg * 0.3, color.a);
        }
        """,
        "waves": """
        /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
        void main() {
            vec2 place = isf_FragNormCoord;
            place.x += sin(place.y * 20.0 + TIME * 5.0) * 0.05;
            vec4 color = IMG_NORM_PIXEL(inputImage, place);
            gl_FragColor = color * vec4(1.0, 0.5 + 0.5 * cos(TIME * 3.0), 1.0, 1.0);
        }
        """,
    ]

    init(folder: TemporaryFolder) { self.folder = folder }

    mutating func compare(count: Int, seed: UInt64, _ report: inout Report) async throws {
        var paths: [String] = []
        for (name, text) in Self.transitions.sorted(by: { $0.key < $1.key }) {
            let file = folder.appending("\(name).glsl")
            try Data(text.utf8).write(to: file)
            paths.append(file.path)
        }
        var effects: [EffectInstance] = []
        for (name, text) in Self.effects.sorted(by: { $0.key < $1.key }) {
            let file = folder.appending("\(name).fs")
            try Data(text.utf8).write(to: file)
            effects.append(EffectInstance(try EffectLibrary.load(file.path)))
        }
        var effectCount = 0
        for index in 0..<count where differences.count < 3 {
            Progress.show("composition \(index + 1) of \(count)")
            var random = SplitMix64(seed: seed + UInt64(index))
            var made = try RandomComposition(
                &random, trackCount: 1 + index % 8, seconds: 2, rate: 25)
            made.addRandomInstructions(&random, effects: paths)
            // All tracks of the first composition have effects, whatever the seed.
            for id in made.trackIDs where index == 0 || Int.random(in: 0..<3, using: &random) == 0 {
                let some = effects.shuffled(using: &random)
                    .prefix(Int.random(in: 1...2, using: &random))
                made.videoComposition.setEffects(Array(some), ofTrack: id)
                effectCount += 1
            }
            try await compare(
                made, "seed \(seed + UInt64(index))", asPNG: index < 2, &random)
        }
        report.add("compositions", count)
        report.add("tracks with effects", effectCount)
        report.add("pictures, each read, played, generated as an image and exported", pictureCount)
        report.add("of these, exported as PNG too", seriesCount)
        report.add("pictures that differ", differences.count)
        for difference in differences { report.require(false, difference) }
        report.require(pictureCount > count * 40, "there are too few pictures")
        report.require(effectCount > 0, "no track has effects")
    }

    private mutating func compare(
        _ made: RandomComposition, _ name: String, asPNG: Bool, _ random: inout SplitMix64
    ) async throws {
        let asset = made.composition.makeAsset()
        let reader = try AssetReader(asset: asset)
        let output = try reader.addVideoCompositionOutput(made.videoComposition)
        let pictures = try Self.read(output)
        pictureCount += pictures.count
        try compareSeeks(reader, output, pictures, name, &random)
        try await comparePlayback(asset, made.videoComposition, pictures, name)

        let generator = ImageGenerator(
            asset: asset, videoComposition: made.videoComposition, options: .exact)
        for picture in pictures.shuffled(using: &random) {
            let inside = picture.duration.multiplied(by: 2, over: 3)
            let image = try generator.copyImage(at: picture.time + inside)
            require(
                image.actualTime == picture.time && image.image == picture.image,
                "\(name): the image at \(picture.time) differs")
        }

        let file = folder.appending("\(made.videoComposition.instructions.count).mkv")
        let session = AssetExportSession(asset: asset, preset: .losslessFFV1)
        session.videoComposition = made.videoComposition
        try await session.export(to: file.path)
        defer { try? FileManager.default.removeItem(at: file) }
        try compare(file, pictures, "\(name), FFV1")
        guard asPNG else { return }
        let series = folder.appending("series.apng")
        defer { try? FileManager.default.removeItem(at: series) }
        try await writePNG(reader, output, made.videoComposition, to: series)
        try compare(series, pictures, "\(name), PNG")
        seriesCount += pictures.count
    }

    /// Writes the pictures of a composition output as PNG.
    private func writePNG(
        _ reader: AssetReader, _ output: AssetReaderVideoCompositionOutput,
        _ composition: VideoComposition, to file: URL
    ) async throws {
        let size = composition.renderSize
        let writer = try AssetWriter(path: file.path)
        let input = AssetWriterInput(
            video: VideoOutputSettings(
                codec: .apng, width: Int(size.width), height: Int(size.height),
                frameDuration: composition.frameDuration))
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        reader.restart(timeRange: MediaTimeRange(start: .zero, duration: .positiveInfinity))
        while let frame = try output.copyNextSampleBuffer() { try await input.append(frame) }
        try await writer.finishWriting()
    }

    /// Compares the pictures of a file.
    private mutating func compare(_ file: URL, _ pictures: [Picture], _ name: String) throws {
        let written = try AssetReader(asset: URLAsset(url: file)).addVideoOutput()
        var count = 0
        while let frame = try written.copyNextSampleBuffer() {
            guard count < pictures.count else { break }
            let picture = pictures[count]
            require(
                abs((frame.presentationTime - picture.time).seconds) < 0.001
                    && Self.image(frame.pixelBuffer) == picture.image,
                "\(name): the exported picture at \(picture.time) differs")
            count += 1
        }
        require(count == pictures.count, "\(name): \(count) of \(pictures.count) exported")
    }

    /// Compares the frames that a player shows after seeks to some of them, and while it plays from
    /// the first one.
    private mutating func comparePlayback(
        _ asset: Asset, _ composition: VideoComposition, _ pictures: [Picture], _ name: String
    ) async throws {
        let clock = ManualClock()
        let item = PlayerItem(asset: asset)
        item.videoComposition = composition
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        func shown() -> RGBAImage? {
            output.copyPixelBuffer(forItemTime: item.currentTime).map { Self.image($0.0) }
        }
        for index in [pictures.count - 1, 3, pictures.count / 2, 0] {
            await item.seek(
                to: pictures[index].time, toleranceBefore: .zero, toleranceAfter: .zero)
            require(
                shown() == pictures[index].image,
                "\(name): the frame at \(pictures[index].time) differs in a player after a seek")
        }
        player.play()
        // The clock stands still until playback has started.
        let deadline = HostClock.nanoseconds + 20_000_000_000
        while player.timeControlStatus != .playing, HostClock.nanoseconds < deadline { usleep(500) }
        for picture in pictures.dropFirst() {
            clock.advance(
                to: picture.time.converted(
                    toTimescale: 1_000_000_000, method: .roundTowardPositiveInfinity))
            _ = output.waitForPixelBuffer(after: item.currentTime)
            require(
                shown() == picture.image,
                "\(name): the frame at \(picture.time) differs in a player")
        }
    }

    /// Reads parts of the composition. Each part begins at the time of a picture.
    private mutating func compareSeeks(
        _ reader: AssetReader, _ output: AssetReaderVideoCompositionOutput, _ pictures: [Picture],
        _ name: String, _ random: inout SplitMix64
    ) throws {
        for first in (0..<pictures.count).shuffled(using: &random).prefix(12) {
            let last = min(first + Int.random(in: 0..<6, using: &random), pictures.count - 1)
            let end = pictures[last].time + pictures[last].duration
            reader.restart(timeRange: MediaTimeRange(start: pictures[first].time, end: end))
            let some = try Self.read(output)
            require(some.count == last - first + 1, "\(name): \(some.count) pictures after a seek")
            for (picture, expected) in zip(some, pictures[first...]) {
                require(
                    picture.time == expected.time && picture.image == expected.image,
                    "\(name): the picture at \(expected.time) differs after a seek")
            }
        }
    }

    private mutating func require(_ holds: Bool, _ difference: @autoclosure () -> String) {
        if !holds, differences.count < 10 { differences.append(difference()) }
    }

    private static func read(_ output: AssetReaderVideoCompositionOutput) throws -> [Picture] {
        var pictures: [Picture] = []
        while let frame = try output.copyNextSampleBuffer() {
            pictures.append(
                Picture(
                    time: frame.presentationTime, duration: frame.duration,
                    image: image(frame.pixelBuffer)))
        }
        return pictures
    }

    /// Returns the pixels of a frame. Drawn pictures are bytes, which are only copied.
    static func image(_ buffer: PixelBuffer) -> RGBAImage {
        guard buffer.format == .rgba else {
            return StillConverter.image(of: buffer, width: buffer.width, height: buffer.height)
        }
        let plane = buffer.planes[0]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(buffer.width * buffer.height * 4)
        for row in 0..<buffer.height {
            bytes += UnsafeRawBufferPointer(
                start: plane.baseAddress + row * plane.bytesPerRow, count: buffer.width * 4)
        }
        return RGBAImage(width: buffer.width, height: buffer.height, bytes: bytes)
    }
}
