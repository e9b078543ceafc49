// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// What controls show: everything about a film that they need, at one moment.
struct ControlsModel: Sendable, Equatable {
    /// What kind of film it is, by which controls adapt.
    enum Kind: Sendable, Hashable {
        case none
        case film
        /// A stream without an end.
        case live
        /// Sound alone.
        case sound
    }

    var kind = Kind.none
    /// What the film is called; shown where no window says it.
    var title = ""
    var isPlaying = false
    var hasEnded = false
    var isFullscreen = false
    /// In whole seconds, as labels show it.
    var elapsed = 0
    /// In whole seconds; nil where it is not known.
    var total: Int?
    /// Where the film is, from 0 to 1.
    var progress = 0.0
    /// What has been loaded, from 0 to 1.
    var loaded: [ClosedRange<Double>] = []
    /// Where chapters begin, but the first.
    var chapterMarks: [Double] = []
    /// The part that is repeated.
    var loop: ClosedRange<Double>?
    var isSeekable = false
    /// From 0 to 1; louder is 1.
    var volume = 1.0
    var isMuted = false
    var speed = 1.0
    var menus: [ControlMenuKind: ControlMenu] = [:]

    var showsRemaining: Bool { total != nil && kind != .live }

    /// Hours, minutes and seconds; hours where the film has them, so that the width stays.
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

    var elapsedText: String { Self.clock(elapsed, likeThoseOf: total) }

    /// What is left, as a negative time.
    var remainingText: String {
        guard let total else { return "" }
        let left = max(0, total - elapsed)
        return left == 0 ? Self.clock(0, likeThoseOf: total) : Self.clock(-left, likeThoseOf: total)
    }
}
