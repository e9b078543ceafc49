// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// A cache of the upload methods that were fastest when measured. It is kept in the user's cache
/// directory between runs.
///
/// Errors in reading and writing are ignored. In that case, the methods are measured again.
enum UploadChoiceCache {
    /// The maximum number of lines. There is a line for each driver, format and size, and the
    /// oldest are removed.
    private static let lineLimit = 200

    private static var url: URL? {
        let environment = ProcessInfo.processInfo.environment
        let folder =
            environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].map { $0 + "/.cache" }
        return folder.map { URL(fileURLWithPath: $0).appendingPathComponent("playhead/uploads") }
    }

    static func load() {
        guard let url, let text = try? String(contentsOf: url, encoding: .utf8) else { return }
        UploadChoices.load(text)
    }

    static func save() {
        guard let url, !UploadChoices.all.isEmpty else { return }
        let text = UploadChoices.text.split(separator: "\n").suffix(lineLimit)
            .joined(separator: "\n")
        guard (try? String(contentsOf: url, encoding: .utf8)) != text else { return }
        try? FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? text.write(to: url, atomically: true, encoding: .utf8)
    }
}
