// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// An audio track as the playback model knows it.
struct ModelSound {
    static let sampleRate = 48_000

    /// The number of samples, and of those in a packet.
    let sampleCount: Int
    let packetLength: Int

    var end: MediaTime { Self.time(ofSample: sampleCount) }

    /// Returns the end of the audio in the packets that begin before a time.
    func end(before time: MediaTime) -> MediaTime {
        guard time < end else { return end }
        var length = 0
        while Self.time(ofSample: length) < time { length += packetLength }
        return Self.time(ofSample: min(length, sampleCount))
    }

    static func time(ofSample number: Int) -> MediaTime {
        MediaTime(value: Int64(number), timescale: Int32(sampleRate))
    }
}
