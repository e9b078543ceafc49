// SPDX-License-Identifier: Apache-2.0

/// The state of a file when it was loaded, with which a second event for the same content is
/// recognised and ignored.
///
/// Programs that replace a file write another file, rename it and then close it. Both the rename
/// and the close are reported.
struct LoadedFile: Sendable {
    private let stamp: FileStamp
    /// The text of the file, if the file is so young that a later write may not change its stamp.
    private let text: String?

    /// Reads the state of a file. Call this before the file is loaded, so that a write in between
    /// is recognised as a change.
    ///
    /// Returns nil if the state is not known.
    init?(_ path: String) {
        guard let stamp = FileStamp(path) else { return nil }
        self.stamp = stamp
        if stamp.isSettled {
            text = nil
        } else if let text = try? EffectFolder.text(of: path) {
            self.text = text
        } else {
            return nil
        }
    }

    /// Returns whether the file at this path is unchanged.
    func isCurrent(_ path: String) -> Bool {
        guard FileStamp(path) == stamp else { return false }
        guard let text else { return true }
        return (try? EffectFolder.text(of: path)) == text
    }
}

extension [String: LoadedFile] {
    /// Creates the states of files by their paths.
    init(of paths: Set<String>) {
        self.init()
        for path in paths where !path.hasSuffix("/") { self[path] = LoadedFile(path) }
    }

    /// Returns the paths whose files have changed. Folders are always treated as changed.
    func news(of paths: Set<String>) -> Set<String> {
        paths.filter { path in path.hasSuffix("/") || self[path]?.isCurrent(path) != true }
    }
}
