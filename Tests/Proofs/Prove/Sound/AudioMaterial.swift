// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport

/// Two channels of noise and music: chords that decay, noise whose loudness varies, and strikes
/// that make encoders switch blocks. No two stretches are alike, so a late or misplaced sample is
/// detected.
enum AudioMaterial {
    static func write(seconds: Int, sampleRate: Int, to file: URL) throws {
        var random = SplitMix64(seed: 27)
        func uniform() -> Float { Float(random.next() >> 40) / Float(1 << 23) - 1 }
        var samples: [Float] = []
        samples.reserveCapacity(seconds * sampleRate * 2)
        var phases: [Float] = [0, 0, 0]
        var steps: [Float] = [0, 0, 0]
        var (level, stroke, loudness): (Float, Float, Float) = (0, 0, 0.1)
        var smooth: (Float, Float) = (0, 0)
        for frame in 0..<(seconds * sampleRate) {
            if frame % (sampleRate / 4) == 0 {
                for index in steps.indices {
                    let note = Float(random.next() % 36)
                    steps[index] = 110 * exp2(note / 12) / Float(sampleRate)
                }
                level = 0.25
                loudness = 0.05 + 0.15 * abs(uniform())
            }
            if random.next() % UInt64(sampleRate / 3) == 0 { stroke = 0.6 }
            var chord: Float = 0
            for index in phases.indices {
                phases[index] += steps[index]
                if phases[index] >= 1 { phases[index] -= 1 }
                chord += sin(2 * .pi * phases[index])
            }
            smooth.0 += 0.3 * (uniform() - smooth.0)
            smooth.1 += 0.3 * (uniform() - smooth.1)
            let hit = stroke * uniform()
            samples.append(level * chord / 2 + loudness * smooth.0 + hit)
            samples.append(level * chord / 3 + loudness * smooth.1 + hit / 2)
            level *= 1 - 8 / Float(sampleRate)
            stroke *= 1 - 200 / Float(sampleRate)
        }
        try samples.withUnsafeBytes { try Data($0).write(to: file) }
    }
}
