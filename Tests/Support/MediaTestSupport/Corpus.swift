// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Finds the collection of real media that some tests play.
///
/// It is not part of the repository: it is in `../shared/media` beside a checkout, or in the folder
/// of the environment variable `PLAYHEAD_CORPUS`. Tests that need it are skipped without it:
///
///     @Test(.enabled(if: Corpus.has("made-here/counter.mp4"), Corpus.absence))
///
/// - Concurrency: any thread.
public enum Corpus {
    /// The reason of a test that is skipped without the collection.
    public static let absence = "needs media in ../shared/media, or in the folder PLAYHEAD_CORPUS"

    /// The collection's folder; nil if it does not exist.
    public static let folder: URL? = {
        let manager = FileManager.default
        if let path = ProcessInfo.processInfo.environment["PLAYHEAD_CORPUS"], !path.isEmpty {
            return manager.fileExists(atPath: path) ? URL(filePath: path) : nil
        }
        let beside = Checkout.root.deletingLastPathComponent().appending(path: "shared/media")
        return manager.fileExists(atPath: beside.path) ? beside : nil
    }()

    /// Returns a file of the collection by its path in it, or nil if it does not exist.
    public static func url(_ path: String) -> URL? {
        guard let url = folder?.appending(path: path) else { return nil }
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }

    /// Returns whether a file of the collection exists.
    public static func has(_ path: String) -> Bool { url(path) != nil }

    /// All files of the collection with one of these extensions, sorted by path.
    public static func files(withExtensions extensions: Set<String>) -> [URL] {
        guard let folder,
            let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder.path)
        else { return [] }
        return
            paths
            .filter { extensions.contains(URL(filePath: $0).pathExtension.lowercased()) }
            .sorted().map { folder.appending(path: $0) }
    }
}
