// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadC

/// Sound that a host fetches.
@Suite struct PulledSoundTests {
    /// Notes when each block is heard. In the midst of its second the host fetches another one, as a host
    /// does that comes while control holds the lock.
    private final class Source: AudioSource {
        let sound: PulledSound
        let times = Monitor<[Int64]>([])

        init(_ sound: PulledSound) { self.sound = sound }

        func render(
            into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
        ) {
            samples.update(repeating: 0.5, count: frameCount * 2)
            times.change { $0.append(presentationTime) }
            guard times.withLock({ $0.count }) == 2 else { return }
            var other = [Float](repeating: .nan, count: 960)
            other.withUnsafeMutableBufferPointer {
                sound.read($0.baseAddress!, frameCount: 480, latency: 0)
            }
            #expect(other.allSatisfy { $0 == 0 })
        }
    }

    @Test func `a block that had to be silent makes nothing late that comes after it`() {
        let clock = ManualClock()
        let sound = PulledSound(format: .stereo(sampleRate: 48_000), manualClock: clock)
        let source = Source(sound)
        #expect(sound.status == .ready)
        sound.start(source) {}
        #expect(sound.status == .paused)
        sound.resume()
        #expect(sound.status == .running)
        var samples = [Float](repeating: 0, count: 960)
        for _ in 0..<4 {
            samples.withUnsafeMutableBufferPointer {
                sound.read($0.baseAddress!, frameCount: 480, latency: 0)
            }
        }
        #expect(source.times.withLock { $0 } == [0, 10_000_000, 30_000_000, 40_000_000])
        sound.stop()
        #expect(sound.status == .ready)
    }
}
