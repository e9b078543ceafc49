// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadCompositions
import PlayheadImages
import PlayheadTime
import Testing

/// Images of a composition, made at times like those of a file.
@Suite struct CompositionImagesTests {
    private static let frame = MediaTime(value: 1001, timescale: 30000)

    /// Returns cuts of two videos at whole frames, and the number of the frame of each.
    private func makeCuts() throws -> (MutableComposition, [Int]) {
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .video)
        var numbers: [Int] = []
        let films = try [(12, 2), (30, 4)].map { interval, bidirectional in
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(frameDuration: Self.frame, count: 100), sounds: [])
            (media.width, media.height) = (256, 32)
            media.keyframeInterval = interval
            media.bidirectionalFrames = bidirectional
            let asset = SyntheticAsset(media)
            return (asset, try AssetReader(asset: asset).description.tracks[0])
        }
        for (index, (start, count)) in [(70, 9), (13, 11), (40, 1), (22, 14)].enumerated() {
            let (asset, source) = films[index % 2]
            try track.insertTimeRange(
                MediaTimeRange(
                    start: Self.frame * Int32(start), duration: Self.frame * Int32(count)),
                of: source, in: asset, at: .invalid)
            numbers += start..<(start + count)
        }
        return (composition, numbers)
    }

    private func number(_ image: RGBAImage) -> Int? {
        image.bytes.withUnsafeBytes {
            FrameNumberStrip.read(
                fromRGBA: $0, width: image.width, height: image.height, sourceWidth: 256,
                sourceHeight: 32)
        }
    }

    @Test func `an image shows the frame of the cut at its time`() async throws {
        let (composition, numbers) = try makeCuts()
        let generator = ImageGenerator(asset: composition.makeAsset(), options: .exact)
        var random = SplitMix64(seed: 3)
        for index in numbers.indices.shuffled(using: &random) {
            let time = Self.frame * Int32(index)
            let made = try await generator.image(
                at: time + Self.frame.multiplied(by: 1, over: 3))
            #expect(number(made.image) == numbers[index], "frame \(index)")
            #expect(made.actualTime == time)
        }
    }

    @Test func `images at many times are those of the cuts, in the order that costs least`()
        async throws
    {
        let (composition, numbers) = try makeCuts()
        let generator = ImageGenerator(asset: composition.makeAsset(), options: .exact)
        var random = SplitMix64(seed: 4)
        let times = numbers.indices.shuffled(using: &random).map { Self.frame * Int32($0) }
        var found: [MediaTime: Int?] = [:]
        for await element in generator.images(for: times, order: .asReady) {
            found[element.requestedTime] = number(try element.result.get().image)
        }
        #expect(found.count == numbers.count)
        for (index, expected) in numbers.enumerated() {
            #expect(found[Self.frame * Int32(index)] == expected, "frame \(index)")
        }
    }

    @Test func `with tolerances an image shows the start of the cut or a keyframe in it`()
        async throws
    {
        let (composition, numbers) = try makeCuts()
        let generator = ImageGenerator(asset: composition.makeAsset())
        let starts = [0, 9, 20, 21]
        for index in numbers.indices {
            let made = try await generator.image(at: Self.frame * Int32(index))
            let time = made.actualTime
            let found = try #require(numbers.indices.first { Self.frame * Int32($0) == time })
            // Never a frame of another cut, and the number is that of the time.
            #expect(found <= index && found >= starts.last { $0 <= index } ?? 0)
            #expect(number(made.image) == numbers[found])
        }
    }

    @Test func `after the end there is no image, and the error names the composition`()
        async throws
    {
        let (composition, numbers) = try makeCuts()
        let generator = ImageGenerator(asset: composition.makeAsset(), options: .exact)
        await #expect {
            try await generator.image(at: Self.frame * Int32(numbers.count + 1))
        } throws: { error in
            (error as? MediaError)?.code == .noSuchFrame
        }
    }

    @Test func `images have the content that the composition had when its asset was made`()
        async throws
    {
        let (composition, numbers) = try makeCuts()
        let generator = ImageGenerator(asset: composition.makeAsset(), options: .exact)
        try composition.removeTimeRange(
            MediaTimeRange(start: .zero, duration: Self.frame * Int32(9)))
        let edited = ImageGenerator(asset: composition.makeAsset(), options: .exact)
        for index in [0, 8, 12] {
            let time = Self.frame * Int32(index)
            #expect(number(try await generator.image(at: time).image) == numbers[index])
            #expect(number(try await edited.image(at: time).image) == numbers[index + 9])
        }
    }
}
