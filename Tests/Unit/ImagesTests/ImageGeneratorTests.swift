// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadImages
import PlayheadTime
import Synchronization
import Testing

@Suite struct ImageGeneratorTests {
    private static let frame = MediaTime(value: 1001, timescale: 30000)

    /// The number of frames that all decoders together have received.
    private final class Counter: Sendable {
        let frames = Mutex([Int]())
    }

    private func film(_ counter: Counter? = nil, frames: Int = 120) -> SyntheticMedia {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(frameDuration: Self.frame, count: frames), sounds: [])
        // The smallest frame that can carry its number.
        (media.width, media.height) = (256, 32)
        media.keyframeInterval = 24
        media.bidirectionalFrames = 2
        if let counter {
            media.faults.willDecodeFrame = { index in counter.frames.withLock { $0.append(index) } }
        }
        return media
    }

    @Test func `cancelling all ends a sequence that is being iterated`() async {
        let generator = ImageGenerator(asset: SyntheticAsset(film()))
        var (pictures, cancelled) = (0, 0)
        for await element in generator.images(for: (0..<60).map { time($0) }) {
            switch element.result {
            case .success: pictures += 1
            case .failure(let error): cancelled += error.code == .cancelled ? 1 : 0
            }
            if pictures == 2, cancelled == 0 { generator.cancelAllImageGeneration() }
        }
        // Those in progress may have arrived.
        #expect(pictures + cancelled == 60 && pictures <= 6)
    }

    private func time(_ index: Int) -> MediaTime { Self.frame * Int32(index) }

    private func number(_ image: RGBAImage) -> Int? {
        image.bytes.withUnsafeBytes {
            FrameNumberStrip.read(
                fromRGBA: $0, width: image.width, height: image.height, sourceWidth: 256,
                sourceHeight: 32)
        }
    }

    @Test func `an image shows the frame that is displayed at its time`() async throws {
        let generator = ImageGenerator(asset: SyntheticAsset(film()), options: .exact)
        for index in [0, 1, 2, 23, 24, 25, 119, 60, 61, 5] {
            let time = Self.frame * Int32(index)
            let middle = time + Self.frame.multiplied(by: 1, over: 3)
            let made = try await generator.image(at: middle)
            #expect(number(made.image) == index)
            #expect(made.actualTime == time && made.requestedTime == middle)
        }
    }

    @Test func `images and errors are in the order of the requests`() async throws {
        let generator = ImageGenerator(asset: SyntheticAsset(film()), options: .exact)
        let times = [50, 3, 4, 500, 90, 3].map { Self.frame * Int32($0) }
        var numbers: [Int?] = []
        for await element in generator.images(for: times + [.positiveInfinity, .invalid]) {
            switch element.result {
            case .success(let made): numbers.append(number(made.image))
            case .failure(let error):
                #expect(error.code == .noSuchFrame)
                numbers.append(nil)
            }
        }
        #expect(numbers == [50, 3, 4, nil, 90, 3, nil, nil])
    }

    @Test func `there is no frame after the end with any tolerance`() {
        for tolerance in [.zero, time(5), .positiveInfinity] {
            let options = ImageGenerator.Options(requestedTimeToleranceBefore: tolerance)
            let generator = ImageGenerator(asset: SyntheticAsset(film()), options: options)
            #expect(throws: Never.self) { try generator.copyFrame(at: time(119)) }
            for index in [121, 500] {
                let error = #expect(throws: MediaError.self) {
                    try generator.copyFrame(at: time(index))
                }
                #expect(error?.code == .noSuchFrame)
            }
            #expect(throws: Never.self) { try generator.copyFrame(at: time(119)) }
        }
    }

    @Test func `with asReady, images are in order of presentation`() async throws {
        let generator = ImageGenerator(asset: SyntheticAsset(film()), options: .exact)
        let times = [50, 3, 90, 4].map { Self.frame * Int32($0) }
        var seen: [MediaTime] = []
        for await element in generator.images(for: times, order: .asReady) {
            seen.append(try element.result.get().actualTime)
        }
        #expect(seen == times.sorted())
    }

    @Test func `frames between two requested ones are not decoded twice`() throws {
        let counter = Counter()
        let generator = ImageGenerator(
            asset: SyntheticAsset(film(counter)), options: .exact)
        // The second lies behind two more keyframes, the third in the same group as the second.
        for index in [3, 75, 90] { _ = try generator.copyFrame(at: Self.frame * Int32(index)) }
        let decoded = counter.frames.withLock { $0 }
        #expect(decoded.allSatisfy { $0 < 12 || (72..<96).contains($0) })
        // One of three frames is a reference; a few beyond the target are in progress.
        #expect(decoded.count <= 4 + 4 + 10 + 9, "\(decoded)")
        #expect(Set(decoded).count == decoded.count, "none is decoded twice: \(decoded)")
    }

    @Test func `with an unlimited tolerance only keyframes are decoded`() throws {
        let counter = Counter()
        let generator = ImageGenerator(asset: SyntheticAsset(film(counter)))
        for index in [3, 30, 75, 100] {
            let found = try generator.copyFrame(at: Self.frame * Int32(index))
            #expect(found.presentationTime == Self.frame * Int32(index / 24 * 24))
        }
        #expect(counter.frames.withLock { $0 } == [0, 24, 72, 96])
    }

    @Test func `an image fits the maximum size and keeps its aspect ratio`() async throws {
        var media = film()
        (media.width, media.height) = (320, 180)
        let asset = SyntheticAsset(media)
        for (maximum, size) in [
            ((160, 160), (160, 90)), ((1000, 45), (80, 45)), ((0, 0), (320, 180)),
            ((640, 0), (320, 180)),
        ] {
            let generator = ImageGenerator(asset: asset, options: .init(maximumSize: maximum))
            let image = try await generator.image(at: .zero).image
            #expect((image.width, image.height) == size)
        }
    }

    @Test func `cancelled requests fail with that error, and later ones succeed`() async throws {
        // The first decoded frame waits until the request has been cancelled.
        let gate = Gate()
        var media = film()
        media.faults.willDecodeFrame = { _ in gate.pass() }
        let generator = ImageGenerator(asset: SyntheticAsset(media), options: .exact)
        let waiting = Task { try await generator.image(at: time(30)) }
        await gate.waitForArrival()
        generator.cancelAllImageGeneration()
        gate.open()
        await #expect(throws: MediaError.self) { try await waiting.value }
        #expect(try await generator.image(at: time(2)).actualTime == time(2))
    }

    @Test func `leaving the sequence early cancels the remaining images`() async throws {
        let counter = Counter()
        let generator = ImageGenerator(
            asset: SyntheticAsset(film(counter, frames: 2400)), options: .exact)
        for await _ in generator.images(for: (0..<100).map { Self.frame * Int32($0 * 24) }) {
            break
        }
        // The work in progress has been dropped once another request is served.
        _ = try await generator.image(at: time(2300))
        #expect(counter.frames.withLock { $0.count } < 40)
    }
}
