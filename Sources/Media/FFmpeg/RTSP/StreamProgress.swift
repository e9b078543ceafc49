// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The part of a stream that has arrived, by the timestamps of its packets of RTP.
///
/// - Concurrency: a value.
struct StreamProgress {
    private let clockRate: Int32
    private var latest: UInt32?
    private var ticks: Int64 = 0
    private var step: Int64 = 0

    /// The shortest and the longest time that counts as that of a frame.
    private static let shortestFrame = MediaTime(value: 1, timescale: 10)
    private static let longestFrame = MediaTime(value: 1, timescale: 1)

    /// - Parameter clockRate: The number of ticks of the timestamps per second.
    init(clockRate: Int32) { self.clockRate = clockRate }

    /// Takes the timestamp of a packet. Frames may be sent in another order than that of their
    /// timestamps, which wrap around.
    ///
    /// - Parameter isNewSource: A Boolean value that indicates whether the sender has started
    ///   again, with other timestamps.
    mutating func note(_ timestamp: UInt32, isNewSource: Bool) {
        guard let latest, !isNewSource else {
            latest = timestamp
            return
        }
        let advance = Int64(Int32(bitPattern: timestamp &- latest))
        guard advance > 0 else { return }
        ticks += advance
        step = advance
        self.latest = timestamp
    }

    /// The time from the first frame to the last one; nil before the first packet.
    var duration: MediaTime? {
        latest.map { _ in MediaTime(value: ticks, timescale: clockRate) }
    }

    /// Returns whether the last frame, with its duration, reaches a time after the first frame, or
    /// whether less than a frame is missing.
    func reaches(_ time: MediaTime) -> Bool {
        guard let duration else { return false }
        let frame = MediaTime(value: step, timescale: clockRate)
        let missing = time - duration - min(frame, Self.longestFrame)
        return missing <= min(max(frame, Self.shortestFrame), Self.longestFrame)
    }
}
