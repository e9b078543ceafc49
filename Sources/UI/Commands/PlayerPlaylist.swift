// SPDX-License-Identifier: Apache-2.0

/// The playlist of a player window.
///
/// - Concurrency: the main thread.
/// - Corresponds to: mpv's playlist. AVFoundation's queue drops items that have played.
@MainActor package protocol PlayerPlaylist: AnyObject {
    /// The paths or URLs, in order.
    var files: [String] { get }
    /// The index of the current entry, or nil.
    var position: Int? { get }

    /// Returns the title of an entry; nil, the default, if it has none.
    func title(at index: Int) -> String?

    /// Makes an entry the current one. An invalid index is ignored.
    func play(at index: Int)

    /// Opens the current entry again, because its file was replaced. By default it is played as
    /// another entry would be.
    func reopen()

    /// Adds a file, or the entries of a directory or playlist, at the end. Does not start playback.
    func append(_ file: String)

    /// Reduces the playlist to the entries at these indices, in this order. If the current entry is
    /// kept, it keeps playing; otherwise the next entry that is kept plays.
    ///
    /// - Returns: false if the playlist cannot be rearranged. The default implementation returns
    ///   false.
    func arrange(_ places: [Int]) -> Bool

    /// Removes the item from the player. The entries and the current index are kept.
    func stop()

    /// A Boolean value that indicates whether the playlist loops; false by default.
    var isRepeated: Bool { get }

    /// A Boolean value that indicates whether the playlist can loop; false by default.
    var canBeRepeated: Bool { get }

    /// Sets whether the playlist loops. Does nothing by default.
    func setRepeated(_ isRepeated: Bool)

    /// A Boolean value that indicates whether the playlist loops the current entry; false by
    /// default.
    var isLooping: Bool { get }

    /// Stops repeating the current entry: playback continues with the next one. Does nothing by
    /// default.
    func endLoop()
}

extension PlayerPlaylist {
    package func title(at index: Int) -> String? { nil }

    package func reopen() {
        if let position { play(at: position) }
    }

    package func arrange(_ places: [Int]) -> Bool { false }

    package var isRepeated: Bool { false }

    package var canBeRepeated: Bool { false }

    package func setRepeated(_ isRepeated: Bool) {}

    package var isLooping: Bool { false }

    package func endLoop() {}
}
