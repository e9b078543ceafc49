// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport

extension TemporaryFolder {
    /// Writes a file, and creates its folders.
    ///
    /// - Returns: the path of the file.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = appending(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
