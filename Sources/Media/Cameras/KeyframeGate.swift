// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Decides which frames of H.264 are decoded after frames were lost.
///
/// A frame may depend on all frames since the last keyframe. After a loss, frames are therefore
/// skipped until the next keyframe, because they show traces of older frames. Cameras without
/// keyframes renew their frames part by part; after two seconds, frames are decoded again even
/// without a keyframe.
struct KeyframeGate {
    private static let patience = MediaTime(value: 2, timescale: 1)

    private var sequence: Int?
    /// The time at which the gate opens even without a keyframe; nil if the gate is open.
    private var openingTime: MediaTime?

    /// Closes the gate. Called if frames before a time are not decoded.
    mutating func close(at time: MediaTime) {
        if openingTime == nil { openingTime = time + Self.patience }
    }

    /// Returns true if a frame can be decoded. Gaps in the sequence numbers close the gate.
    mutating func passes(_ data: [UInt8], sequence: Int, time: MediaTime) -> Bool {
        if let last = self.sequence, sequence > last + 1 { close(at: time) }
        self.sequence = sequence
        guard let openingTime else { return true }
        guard time >= openingTime || Self.isKeyframe(data) else { return false }
        self.openingTime = nil
        return true
    }

    /// Returns true if a frame begins with an instantaneous decoder refresh or with new parameters
    /// (ITU-T H.264, table 7-1 and annex B). Cameras send new parameters before I-frames.
    static func isKeyframe(_ data: [UInt8]) -> Bool {
        var index = 2
        while index + 1 < data.count {
            guard data[index] == 1, data[index - 1] == 0, data[index - 2] == 0 else {
                index += 1
                continue
            }
            switch data[index + 1] & 0x1F {
            case 5, 7: return true
            case 1...4: return false
            default: index += 3
            }
        }
        return false
    }
}
