// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Glibc

/// A new, empty folder that is removed with its contents when this object is released.
///
/// - Concurrency: any thread.
public final class TemporaryFolder: Sendable {
    /// The folder for temporary files: `TMPDIR` or, by default, `/tmp`.
    public static let base =
        ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"

    public let url: URL

    public init() {
        var path = Array("\(Self.base)/playhead-test-XXXXXX".utf8CString)
        precondition(mkdtemp(&path) != nil, "no temporary folder in \(Self.base)")
        let bytes = path.dropLast().map { UInt8(bitPattern: $0) }
        url = URL(filePath: String(decoding: bytes, as: UTF8.self), directoryHint: .isDirectory)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Returns a path in the folder, without creating a file.
    public func appending(_ name: String) -> URL { url.appending(path: name) }
}
