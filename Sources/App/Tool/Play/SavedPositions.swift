// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Where films were left, so that they go on there: a file of the user's, a line each.
///
/// Whatever goes wrong with it is no matter: films then begin at their beginning.
struct SavedPositions {
    /// Films that are remembered; those that were left first make room.
    private static let limit = 500
    /// What has hardly begun begins anew, and so does what is nearly over.
    private static let edge = MediaTime(value: 5, timescale: 1)

    private let url: URL?

    init(_ url: URL? = UserFolders.state?.appendingPathComponent("positions")) { self.url = url }

    /// Where a film was left; nil for the beginning.
    func position(of file: String) -> MediaTime? {
        lines().last { $0.key == Self.key(file) }?.time
    }

    /// Remembers where a film is left, or that it was not.
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
        // What one watches is nobody else's concern.
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

    /// A film by its place, however it was named.
    private static func key(_ file: String) -> String {
        guard case .file(let path) = AssetLocation(file) else { return file }
        return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            .replacingOccurrences(of: "\n", with: " ")
    }
}
