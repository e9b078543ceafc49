// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadExport

/// Decode times of packets whose container stores none for the first ones.
@Suite struct DecodeTimesTests {
    private func time(_ frame: Int) -> MediaTime {
        MediaTime(value: Int64(frame), timescale: 25)
    }

    private func packet(_ presentation: Int, _ decode: Int?) -> MediaPacket {
        MediaPacket(
            trackID: 0, presentationTime: time(presentation),
            decodeTime: decode.map(time) ?? .invalid, duration: time(1), isKeyframe: false,
            byteCount: 1, payload: Payload())
    }

    private final class Payload: Sendable {}

    private var track: AssetTrack {
        AssetTrack(
            id: 0, mediaType: .video, formatDescription: FormatDescription(codec: "hevc"),
            timeUnit: MediaTime(value: 1, timescale: 1000), frameDuration: time(1))
    }

    @Test func `packets before the first decode time lie a frame apart before it`() {
        var times = DecodeTimes(track)
        let results = [packet(0, nil), packet(5, nil), packet(3, 0), packet(1, 1)].map {
            times.add($0) ?? []
        }
        #expect(results.map(\.count) == [0, 0, 3, 1])
        let known = results.flatMap(\.self)
        #expect(known.map(\.decodeTime) == [-2, -1, 0, 1].map(time))
        #expect(known.map(\.presentationTime) == [0, 5, 3, 1].map(time))
    }

    @Test func `a track without decode times is decoded in the order of its packets`() {
        var times = DecodeTimes(track)
        let early = [0, 3, 1, 2, 4].map { times.add(packet($0, nil)) ?? [] }
        #expect(early.flatMap(\.self).isEmpty)
        let known = times.finish()
        #expect(known.map(\.presentationTime) == [0, 3, 1, 2, 4].map(time))
        #expect(known.map(\.decodeTime) == [-1, 0, 1, 2, 3].map(time))
    }

    @Test func `a long track without decode times is refused`() {
        var times = DecodeTimes(track)
        let results = (0..<100).map { times.add(packet($0, nil)) == nil }
        #expect(results.last == true)
        #expect(results.first == false)
    }
}
