// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Testing

@testable import PlayheadCameras

@Suite struct KeyframeGateTests {
    private static let keyframe: [UInt8] = [
        0, 0, 0, 1, 9, 0xF0, 0, 0, 1, 0x67, 1, 0, 0, 1, 0x65, 2,
    ]
    private static let dependent: [UInt8] = [0, 0, 0, 1, 9, 0xF0, 0, 0, 1, 0x41, 0x9A, 5]

    private static func time(_ number: Int) -> MediaTime {
        MediaTime(value: Int64(number), timescale: 30)
    }

    @Test func `keyframes are found behind delimiters and parameters`() {
        #expect(KeyframeGate.isKeyframe(Self.keyframe))
        #expect(KeyframeGate.isKeyframe([0, 0, 1, 0x25]))
        #expect(!KeyframeGate.isKeyframe(Self.dependent))
        #expect(!KeyframeGate.isKeyframe([0, 0, 1]))
        #expect(!KeyframeGate.isKeyframe([]))
    }

    @Test func `frames after a gap are skipped up to the next keyframe`() {
        var gate = KeyframeGate()
        let shown = (0..<40).filter { $0 != 7 && $0 != 8 }.filter { number in
            gate.passes(
                number % 15 == 0 ? Self.keyframe : Self.dependent, sequence: number,
                time: Self.time(number))
        }
        #expect(shown == Array(0..<7) + Array(15..<40))
    }

    @Test func `without keyframes, frames pass again after two seconds`() {
        var gate = KeyframeGate()
        gate.close(at: Self.time(10))
        let shown = (10..<100).filter {
            gate.passes(Self.dependent, sequence: $0, time: Self.time($0))
        }
        #expect(shown == Array(70..<100))
    }

    @Test func `drivers that do not count frames cause no gap`() {
        var gate = KeyframeGate()
        let shown = (0..<10).filter {
            gate.passes(Self.dependent, sequence: 0, time: Self.time($0))
        }
        #expect(shown.count == 10)
    }
}
