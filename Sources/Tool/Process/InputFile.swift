// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// Films as they are named on command lines: paths, URLs, and `-` for standard input.
enum InputFile {
    static func asset(_ file: String, options: AssetOptions = AssetOptions()) -> Asset {
        guard file == "-" else { return URLAsset(file, options: options) }
        do {
            return try DataAsset(fileDescriptor: 0, name: "standard input", options: options)
        } catch {
            // It is closed: which whoever opens the asset is told.
            return URLAsset("/dev/stdin", options: options)
        }
    }

    /// Whether a film can be opened twice: from a pipe nothing comes again.
    static func opensAgain(_ file: String) -> Bool {
        var status = stat()
        if file == "-" { return fstat(0, &status) == 0 && status.st_mode & S_IFMT == S_IFREG }
        guard stat(file, &status) == 0 else { return file.contains("://") }
        return status.st_mode & S_IFMT == S_IFREG
    }
}
