// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The limits of a search for media in directories and playlists. They apply to all directories and
/// playlists of the search together.
struct PlaylistBudget {
    /// The maximum number of entries in a playlist.
    static let entryLimit = 10_000
    /// The maximum size of a playlist file, in bytes.
    static let fileLimit = 8 << 20
    /// The maximum size of all playlist files together, in bytes.
    static let byteLimit = 32 << 20
    /// The maximum number of directory entries that are examined. The files among them are played.
    static let nameLimit = 200_000
    /// The maximum depth of directories below the one that the user named.
    static let folderDepthLimit = 32
    /// The maximum number of nested playlists.
    static let listDepthLimit = 3
    /// The maximum number of problems that are reported individually.
    static let reportLimit = 100
    /// The maximum duration of the search, in seconds. A network drive can be slow.
    static let timeLimit = 10.0

    private(set) var entryCount = 0
    private(set) var byteCount = 0
    private(set) var nameCount = 0
    private(set) var reportCount = 0
    private let now: () -> MediaTime
    private let start: MediaTime
    private let nameLimit: Int
    /// A Boolean value that indicates whether the search is over. If only the names are exhausted,
    /// the files among those that were read are still added.
    private var isOver = false

    /// Creates the limits of a search that starts now.
    ///
    /// - Parameters:
    ///   - now: returns the current time.
    ///   - nameLimit: the maximum number of directory entries that are examined.
    init(now: @escaping () -> MediaTime, nameLimit: Int = Self.nameLimit) {
        self.now = now
        self.nameLimit = nameLimit
        start = now()
    }

    /// A sentence about the first limit that was reached; nil while none has been reached.
    private(set) var exhaustion: String?

    /// Returns whether the search may continue.
    mutating func hasRoom() -> Bool {
        if !isOver, (now() - start).seconds > Self.timeLimit {
            end("the search for media ended after \(Int(Self.timeLimit)) seconds")
        }
        return !isOver
    }

    private mutating func end(_ reason: String) {
        exhaustion = exhaustion ?? reason
        isOver = true
    }

    mutating func addEntry() -> Bool {
        guard entryCount < Self.entryLimit else {
            end("only the first \(Self.entryLimit) entries are played")
            return false
        }
        entryCount += 1
        return true
    }

    mutating func addName() -> Bool {
        guard nameCount < nameLimit else {
            exhaustion =
                exhaustion ?? "the search for media ended after \(nameLimit) directory entries"
            return false
        }
        nameCount += 1
        return hasRoom()
    }

    mutating func addBytes(_ count: Int) -> Bool {
        guard byteCount + count <= Self.byteLimit else {
            end("the playlists together exceed \(Self.byteLimit >> 20) MiB")
            return false
        }
        byteCount += count
        return true
    }

    /// Counts a problem, and returns whether it is to be reported.
    mutating func addReport() -> Bool {
        reportCount += 1
        return reportCount <= Self.reportLimit
    }
}
