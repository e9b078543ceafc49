// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// What was found out about uploading pictures, kept from run to run: a file in the user's cache.
///
/// Whatever goes wrong with it is no matter: it is found out anew.
enum UploadMemory {
    /// Driver, format and size; older ones make room.
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
