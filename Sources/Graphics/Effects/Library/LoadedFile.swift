// SPDX-License-Identifier: Apache-2.0

/// The state of a file when it was loaded, so that a second event for the same content is ignored.
///
/// Programs that replace a file write another one, rename it and then close it. Both of the last
/// two steps are reported.
struct LoadedFile: Sendable {
    private let stamp: FileStamp
    /// The text of a file that is so young that a later write may not change its stamp.
    private let text: String?

    /// Reads the state of a file. This has to precede loading, so that a write in between counts as
    /// a change.
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

    /// Returns the paths whose files have changed. Folders always count as changed.
    func news(of paths: Set<String>) -> Set<String> {
        paths.filter { path in path.hasSuffix("/") || self[path]?.isCurrent(path) != true }
    }
}
