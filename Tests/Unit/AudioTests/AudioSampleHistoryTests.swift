// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Testing

@testable import PlayheadAudio

@Suite struct AudioSampleHistoryTests {
    /// Returns a history of 64 frames, each a millisecond long, written in blocks of eight.
    private static func history(frames: Int, _ value: (Int) -> Float) -> AudioSampleHistory {
        let history = AudioSampleHistory(sampleRate: 64, channelCount: 1)
        for first in stride(from: 0, to: frames, by: 8) {
            var block = (first..<first + 8).map(value)
            block.withUnsafeMutableBufferPointer {
                history.append(
                    $0, frameCount: 8,
                    timeRange: MediaTimeRange(
                        start: MediaTime(value: Int64(first), timescale: 1000),
                        duration: MediaTime(value: 8, timescale: 1000)))
            }
        }
        return history
    }

    private static func sample(_ history: AudioSampleHistory, microseconds: Int64) -> Float? {
        var sample: [Float] = [.nan]
        let isThere = sample.withUnsafeMutableBufferPointer {
            history.copyFrame(into: $0, at: microseconds * 1000)
        }
        return isThere ? sample[0] : nil
    }

    @Test func `each stored frame is found by its time`() {
        let history = Self.history(frames: 40) { Float($0) }
        for frame in 0..<40 {
            #expect(Self.sample(history, microseconds: Int64(frame) * 1000 + 300) == Float(frame))
        }
        #expect(Self.sample(history, microseconds: 41_000) == nil)
        #expect(Self.sample(history, microseconds: -1000) == nil)
    }

    @Test func `at the end the last frame is found, not an overwritten one`() {
        let history = Self.history(frames: 128) { $0 == 64 ? 1 : 0.25 }
        #expect(Self.sample(history, microseconds: 128_000) == 0.25)
        #expect(Self.sample(history, microseconds: 128_400) == 0.25)
        #expect(Self.sample(history, microseconds: 63_400) == nil)
    }
}
