// SPDX-License-Identifier: Apache-2.0

/// A media file or a subfolder, as the folder browser shows it.
///
/// - Concurrency: a value; any thread.
package struct FolderEntry: Sendable, Hashable {
    /// The kinds of entries.
    package enum Kind: Sendable, Hashable {
        case folder, file
    }

    /// The path with which the entry is opened.
    package var path: String
    /// The name, as it is shown.
    package var name: String
    /// The kind of the entry.
    package var kind: Kind
    /// A number that changes when the file changes.
    package var stamp: Int
    /// The reason why the entry cannot be opened, as a sentence; nil if none is known.
    package var problem: String?

    package init(
        path: String, name: String, kind: Kind, stamp: Int = 0, problem: String? = nil
    ) {
        self.path = path
        self.name = name
        self.kind = kind
        self.stamp = stamp
        self.problem = problem
    }

    /// The path, compared by its bytes. It identifies the entry.
    var key: ExactPath { ExactPath(path) }

    package static func == (first: FolderEntry, second: FolderEntry) -> Bool {
        first.key == second.key && first.name == second.name && first.kind == second.kind
            && first.stamp == second.stamp && first.problem == second.problem
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(stamp)
    }
}
