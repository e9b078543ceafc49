// SPDX-License-Identifier: Apache-2.0

/// What a file was when it was loaded: that it is written to its end a second time is no news then.
///
/// Programs that save a file in one go write another one, move it into its place and close it then,
/// and both of the last two are told of.
struct LoadedFile: Sendable {
    private let stamp: FileStamp
    /// Of a file so young that its stamp does not tell what is written next.
    private let text: String?

    /// To be made before the file is read: what is written meanwhile is news then.
    ///
    /// Nil where nothing can be said of it.
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

    /// Whether the file at this path is still the same.
    func isCurrent(_ path: String) -> Bool {
        guard FileStamp(path) == stamp else { return false }
        guard let text else { return true }
        return (try? EffectFolder.text(of: path)) == text
    }
}

extension [String: LoadedFile] {
    /// What files are now, by their paths.
    init(of paths: Set<String>) {
        self.init()
        for path in paths where !path.hasSuffix("/") { self[path] = LoadedFile(path) }
    }

    /// Those of the paths where something else is now; of folders nobody can say.
    func news(of paths: Set<String>) -> Set<String> {
        paths.filter { path in path.hasSuffix("/") || self[path]?.isCurrent(path) != true }
    }
}
