// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Variants that change while a stream is read.
@Suite struct VariantTests {
    private typealias Variant = VariantChoice.Variant

    private static let variants = [
        Variant(bandwidth: 5_000_000, width: 1920, height: 1080),
        Variant(bandwidth: 500_000, width: 640, height: 360),
        Variant(bandwidth: 2_000_000, width: 1280, height: 720),
    ]

    private static func choice(
        _ current: Int, preference: VariantPreference = VariantPreference()
    ) -> VariantChoice {
        VariantChoice(variants, current: variants[current], preference: preference)
    }

    /// Returns the statistics of a network with these rates in bits per second.
    private static func statistics(_ rates: [Double]) -> TransferMonitor.Statistics {
        var statistics = TransferMonitor.Statistics()
        for rate in rates {
            statistics.byteCount += Int64(rate / 8)
            statistics.waitingTime = statistics.waitingTime + MediaTime(value: 1, timescale: 1)
        }
        return statistics
    }

    @Test func `a variant that exceeds the bandwidth is left at once`() {
        var choice = Self.choice(0)
        #expect(choice.next(after: Self.statistics([3e6]), isRemote: true)?.bandwidth == 2_000_000)
        var fast = Self.choice(0)
        #expect(fast.next(after: Self.statistics([5.6e6]), isRemote: true) == nil)
        var slowest = Self.choice(1)
        #expect(slowest.next(after: Self.statistics([1e6]), isRemote: true) == nil)
        #expect(choice.next(after: Self.statistics([3e6]), isRemote: true) == nil, "nothing new")
    }

    @Test func `a higher variant is selected when the bandwidth sufficed twice`() {
        var choice = Self.choice(1)
        let rates = [9e6, 9e6, 1e6, 9e6]
        let chosen = (1...4).map {
            choice.next(after: Self.statistics(Array(rates.prefix($0))), isRemote: true)?.bandwidth
        }
        #expect(chosen == [nil, 5_000_000, nil, nil])
    }

    @Test func `limits apply at any bandwidth, and alone for files`() {
        let caps = VariantPreference(peakBitRate: 2_500_000)
        for isRemote in [false, true] {
            var choice = Self.choice(0, preference: caps)
            #expect(
                choice.next(after: Self.statistics([1e9]), isRemote: isRemote)?.bandwidth
                    == 2_000_000)
        }
        var choice = Self.choice(2)
        #expect(choice.next(after: Self.statistics([1]), isRemote: false)?.bandwidth == 5_000_000)
        choice.preference.maximumHeight = 400
        #expect(choice.next(after: Self.statistics([]), isRemote: true)?.bandwidth == 500_000)
    }

    @Test func `variants with other codecs and dropped variants are not selected`() {
        let other = Variant(bandwidth: 1, codecs: "hvc1")
        let current = Variant(bandwidth: 2, codecs: "avc1,mp4a")
        #expect(
            !VariantChoice([other, current], current: current, preference: .init()).isChoice)
        var choice = Self.choice(0)
        choice.drop(Self.variants[1])
        choice.drop(Self.variants[2])
        #expect(!choice.isChoice)
        #expect(!VariantChoice([], current: nil, preference: .init()).isChoice)
    }

    // MARK: - Streams

    private struct Read {
        /// The number in each frame, and its width.
        var numbers: [Int?] = []
        var widths: [Int] = []
        var times: [MediaTime] = []
    }

    /// Reads a stream, setting other limits after certain numbers of frames.
    private func read(
        _ opener: FFmpegOpener, _ changes: [Int: VariantPreference]
    ) throws -> Read {
        let demuxer = try opener.openDemuxer(cancellation: Cancellation())
        let track = try #require(demuxer.description.preferredTrack(of: .video))
        demuxer.selectTracks([track.id])
        let decoder = try demuxer.makeVideoDecoder(for: track)
        var read = Read()
        var packets = 0
        func take() throws {
            while let frame = try decoder.receive() {
                read.numbers.append(FrameNumberStrip.read(from: frame.pixelBuffer))
                read.widths.append(frame.pixelBuffer.width)
                read.times.append(frame.presentationTime)
            }
        }
        while let packet = try demuxer.readPacket() {
            packets += 1
            if let change = changes[packets] { demuxer.prefer(change) }
            try decoder.send(packet)
            try take()
        }
        try decoder.send(nil)
        try take()
        return read
    }

    private func check(_ opener: FFmpegOpener) throws {
        let low = VariantPreference(peakBitRate: 500_000, followsThroughput: false)
        let high = VariantPreference(followsThroughput: false)
        let read = try read(opener, [3: low, 12: high])
        // A keyframe at every fifth frame, and where the encoder of the small variant adds one: the
        // switch back comes within a group of the large one.
        let (first, last) = (read.widths.firstIndex(of: 160), read.widths.lastIndex(of: 160))
        #expect(first == 5)
        #expect(try #require(last) < 19)
        #expect(read.widths[5...(last ?? 5)].allSatisfy { $0 == 160 })
        #expect(read.times.count == StreamFixture.frameCount)
        #expect(
            zip(read.times, read.times.dropFirst()).allSatisfy {
                $1 - $0 == MediaTime(value: 1, timescale: 10)
            })
        for (index, number) in read.numbers.enumerated() where read.widths[index] == 320 {
            #expect(number == index)
        }
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `a stream switches at a keyframe without repeating or losing a frame`() throws {
        let fixture = try AssetResourceLoaderTests.fixture.get()
        try check(FFmpegOpener(path: fixture.path("all.m3u8")))
        let server = try LoopbackServer { request in
            fixture.bytes(String(request.path.dropFirst())).map { .bytes($0) } ?? .status(404)
        }
        let options = AssetOptions(variants: VariantPreference(followsThroughput: false))
        try check(FFmpegOpener(AssetLocation(server.url("/all.m3u8")), options: options))
        #expect(server.requests.contains { $0.path.contains("small") })
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `a missing variant is skipped and the stream continues`() throws {
        let fixture = try AssetResourceLoaderTests.fixture.get()
        let server = try LoopbackServer { request in
            let name = String(request.path.dropFirst())
            return name.contains("small")
                ? .status(404) : fixture.bytes(name).map { .bytes($0) } ?? .status(404)
        }
        let options = AssetOptions(variants: VariantPreference(followsThroughput: false))
        let low = VariantPreference(peakBitRate: 500_000, followsThroughput: false)
        let read = try read(
            FFmpegOpener(AssetLocation(server.url("/all.m3u8")), options: options), [3: low])
        #expect(read.numbers == Array(0..<StreamFixture.frameCount))
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `the data rate of a stream is that of its playlist`() throws {
        let fixture = try AssetResourceLoaderTests.fixture.get()
        func rate(_ name: String) throws -> Int {
            try Opening.demuxer(fixture.path(name)).description.dataRate
        }
        #expect(try rate("all.m3u8") == 900_000)
        #expect(try rate("large.m3u8") == 0)
    }
}
