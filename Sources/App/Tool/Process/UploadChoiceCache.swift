// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The upload methods that were measured to be fastest, kept from run to run in the user's cache.
///
/// Failures to read or write are ignored: the methods are then measured again.
enum UploadChoiceCache {
    /// The largest number of lines, one for each driver, format and size. The oldest are dropped.
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
