// SPDX-License-Identifier: Apache-2.0

/// The films that a player window goes through, as whoever queues them knows them.
///
/// - Concurrency: the main thread.
/// - Corresponds to: mpv's playlist. AVFoundation's queue knows no items that have been played.
@MainActor package protocol PlayerPlaylist: AnyObject {
    /// Paths or URLs, in order.
    var files: [String] { get }
    /// Which one plays, from 0; nil if none does.
    var position: Int? { get }

    /// What one of them is called where it is listed; nil, as by default, where it has no name of its own.
    func title(at index: Int) -> String?

    /// Plays one of them, if the player plays; nothing where there is none at that place.
    func play(at index: Int)

    /// Adds a file after all others, or what it holds, where it is a folder or a list. It is played in its turn;
    /// where nothing is, nothing is begun.
    func append(_ file: String)

    /// Keeps those of its films that had these places, in this order. What plays goes on, if it is kept; else the next
    /// that is kept plays, or nothing, where there is none.
    ///
    /// - Returns: false, as by default, where that is not possible.
    func arrange(_ places: [Int]) -> Bool

    /// Takes the film from the player. The list stays, and its position: the film can be played anew.
    func stop()

    /// Whether after the last film comes the first; false by default.
    var isRepeated: Bool { get }

    /// Whether `setRepeated` does anything; false by default.
    var canBeRepeated: Bool { get }

    /// Has the first film come after the last, or not; nothing by default.
    func setRepeated(_ isRepeated: Bool)

    /// Whether the film that plays is one that is played over and over by whoever queued it; false by default.
    var isLooping: Bool { get }

    /// Plays it to the end of its round, and no more then; nothing by default.
    func endLoop()
}

extension PlayerPlaylist {
    package func title(at index: Int) -> String? { nil }

    package func arrange(_ places: [Int]) -> Bool { false }

    package var isRepeated: Bool { false }

    package var canBeRepeated: Bool { false }

    package func setRepeated(_ isRepeated: Bool) {}

    package var isLooping: Bool { false }

    package func endLoop() {}
}
