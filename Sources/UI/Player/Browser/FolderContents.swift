// SPDX-License-Identifier: Apache-2.0

/// The contents of a folder that can be played or entered.
///
/// - Concurrency: a value; any thread.
package struct FolderContents: Sendable, Hashable {
    /// The path of the folder.
    package var path: String
    /// The subfolders and the media files, in the order in which they are shown.
    package var entries: [FolderEntry]
    /// Sentences about entries that are missing; nil if all are there.
    package var note: String?

    package init(path: String, entries: [FolderEntry], note: String? = nil) {
        self.path = path
        self.entries = entries
        self.note = note
    }
}

/// A function that reads a folder. The program that shows the browser provides it, so that folders
/// have the same rules in the browser and in playlists.
///
/// - Parameters:
///   - path: The path of the folder.
///   - trail: The paths of the folders through which the user came, the first one first. Links to
///     them are left out.
package typealias FolderReader =
    @Sendable (_ path: String, _ trail: [String]) throws -> FolderContents
