// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// A snapshot of the player's state, for its controls.
struct ControlsModel: Sendable, Equatable {
    /// The kinds of media for which controls differ.
    enum Kind: Sendable, Hashable {
        case none
        case film
        /// A stream without an end.
        case live
        /// Audio without video.
        case sound
    }

    var kind = Kind.none
    /// The title. It is shown in full screen only.
    var title = ""
    var isPlaying = false
    var hasEnded = false
    var isFullscreen = false
    /// The time in whole seconds, as labels show it.
    var elapsed = 0
    /// The duration in whole seconds; nil if it is not known.
    var total: Int?
    /// The position in the media, from 0 to 1.
    var progress = 0.0
    /// The loaded ranges, as positions from 0 to 1.
    var loaded: [ClosedRange<Double>] = []
    /// The starts of all chapters but the first, as positions from 0 to 1.
    var chapterMarks: [Double] = []
    /// The range of the loop, as positions from 0 to 1; nil without a loop.
    var loop: ClosedRange<Double>?
    var isSeekable = false
    /// The distance in whole seconds of the playhead behind the newest part of a live stream; 0 if
    /// the newest part plays, and nil without a window.
    var behindLive: Int?
    /// The volume, from 0 to 1. A volume above 1 is shown as 1.
    var volume = 1.0
    var isMuted = false
    var speed = 1.0
    var menus: [ControlMenuKind: ControlMenu] = [:]

    var showsRemaining: Bool { total != nil && kind != .live }

    /// Returns a time as minutes and seconds. If the time or `total` is an hour or longer, hours
    /// are included, so that the width of the text stays the same throughout the video.
    static func clock(_ seconds: Int, likeThoseOf total: Int? = nil) -> String {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let magnitude = Int(seconds.magnitude)
        let (hours, minutes) = (magnitude / 3600, magnitude / 60 % 60)
        let text =
            max(magnitude, total ?? 0) >= 3600
            ? "\(hours):\(padded(minutes)):\(padded(magnitude % 60))"
            : "\(minutes):\(padded(magnitude % 60))"
        return seconds < 0 ? "−" + text : text
    }

    /// A Boolean value that indicates whether the newest part of a live stream plays.
    var isAtLive: Bool { kind == .live && (behindLive ?? 0) == 0 }

    /// The elapsed time or, in an earlier part of a live stream, the distance from its newest part.
    var elapsedText: String {
        if kind == .live, let behindLive, behindLive > 0 { return Self.clock(-behindLive) }
        return Self.clock(elapsed, likeThoseOf: total)
    }

    /// The remaining time, with a minus sign.
    var remainingText: String {
        guard let total else { return "" }
        let left = max(0, total - elapsed)
        return left == 0 ? Self.clock(0, likeThoseOf: total) : Self.clock(-left, likeThoseOf: total)
    }
}
