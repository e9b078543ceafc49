// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import Testing

@Suite struct AudioBufferTests {
    @Test func `samples are initially zero and contain what fill writes`() {
        let buffer = AudioBuffer(
            format: .stereo(sampleRate: 48000), presentationTime: .zero, frameCount: 480
        ) { samples in
            #expect(samples.count == 960)
            #expect(samples.allSatisfy { $0 == 0 })
            for index in samples.indices { samples[index] = Float(index) }
        }
        let isKept = buffer.withSamples { samples in
            samples.count == 960 && samples.indices.allSatisfy { samples[$0] == Float($0) }
        }
        #expect(isKept)
        #expect(buffer.duration == MediaTime(value: 1, timescale: 100))
    }

    @Test func `an empty buffer has no samples and no duration`() {
        let buffer = AudioBuffer(
            format: .mono(sampleRate: 44100), presentationTime: .invalid, frameCount: 0
        ) { #expect($0.isEmpty) }
        #expect(buffer.withSamples { $0.isEmpty } && buffer.duration == .zero)
    }
}
