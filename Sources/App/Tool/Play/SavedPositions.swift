// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The positions at which the user ended the playback of files. They are saved in a text file, one
/// on each line.
///
/// Errors are ignored. In that case, files start at the beginning.
struct SavedPositions {
    /// The maximum number of positions. The oldest ones are removed.
    private static let limit = 500
    /// The distance from the start and from the end within which no position is saved.
    private static let edge = MediaTime(value: 5, timescale: 1)

    private let url: URL?

    init(_ url: URL? = UserFolders.state?.appendingPathComponent("positions")) { self.url = url }

    /// Returns the saved position of a file; nil for the beginning.
    func position(of file: String) -> MediaTime? {
        lines().last { $0.key == Self.key(file) }?.time
    }

    /// Saves the position of a file, or removes it.
    func save(_ time: MediaTime?, of file: String, duration: MediaTime) {
        guard let url else { return }
        let key = Self.key(file)
        var lines = lines().filter { $0.key != key }
        if let time, time.isNumeric, time > Self.edge,
            !(duration.isNumeric && time > duration - Self.edge)
        {
            lines.append((key, time))
        }
        let text = lines.suffix(Self.limit).map { "\($0.time.nanoseconds ?? 0) \($0.key)\n" }
            .joined()
        let folder = url.deletingLastPathComponent()
        // Only the user can read the folder.
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try? text.write(to: url, atomically: true, encoding: .utf8)
    }

    private func lines() -> [(key: String, time: MediaTime)] {
        guard let url, let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let nanoseconds = Int64(parts[0]), nanoseconds > 0 else {
                return nil
            }
            return (String(parts[1]), MediaTime(nanoseconds: nanoseconds))
        }
    }

    /// Returns the real path of a file, so that all paths to the file have the same position.
    private static func key(_ file: String) -> String {
        guard case .file(let path) = AssetLocation(file) else { return file }
        return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            .replacingOccurrences(of: "\n", with: " ")
    }
}
