// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The limits of one search for media in directories and playlists, over everything that they lead
/// to.
struct PlaylistBudget {
    /// The largest number of entries of a playlist.
    static let entryLimit = 10_000
    /// The largest size of a playlist file, in bytes.
    static let fileLimit = 8 << 20
    /// The largest size of all playlist files together, in bytes.
    static let byteLimit = 32 << 20
    /// The largest number of directory entries that are looked at.
    static let nameLimit = 200_000
    /// The largest depth of directories below the one that was named.
    static let folderDepthLimit = 32
    /// The largest number of playlists on the way from the first to the last.
    static let listDepthLimit = 3
    /// The largest number of problems that are reported one by one.
    static let reportLimit = 100
    /// The time after which the search ends, in seconds: a network drive can be slow.
    static let timeLimit = 10.0

    private(set) var entryCount = 0
    private(set) var byteCount = 0
    private(set) var nameCount = 0
    private(set) var reportCount = 0
    private let now: () -> MediaTime
    private let start: MediaTime

    /// Creates the limits of a search that begins now.
    ///
    /// - Parameter now: returns the current time.
    init(now: @escaping () -> MediaTime) {
        self.now = now
        start = now()
    }

    /// The limit that ended the search, as a sentence; nil while there is room.
    private(set) var exhaustion: String?

    /// Returns whether the search may go on.
    mutating func hasRoom() -> Bool {
        if exhaustion == nil, (now() - start).seconds > Self.timeLimit {
            exhaustion = "the search for media ended after \(Int(Self.timeLimit)) seconds"
        }
        return exhaustion == nil
    }

    mutating func addEntry() -> Bool {
        guard entryCount < Self.entryLimit else {
            exhaustion = exhaustion ?? "only the first \(Self.entryLimit) entries are played"
            return false
        }
        entryCount += 1
        return true
    }

    mutating func addName() -> Bool {
        nameCount += 1
        if nameCount > Self.nameLimit {
            exhaustion =
                exhaustion ?? "the search for media ended after \(Self.nameLimit) directory entries"
        }
        return hasRoom()
    }

    mutating func addBytes(_ count: Int) -> Bool {
        guard byteCount + count <= Self.byteLimit else {
            exhaustion =
                exhaustion ?? "the playlists together exceed \(Self.byteLimit >> 20) MiB"
            return false
        }
        byteCount += count
        return true
    }

    /// Counts a problem; returns whether it is reported.
    mutating func addReport() -> Bool {
        reportCount += 1
        return reportCount <= Self.reportLimit
    }
}
