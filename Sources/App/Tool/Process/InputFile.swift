// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Films as they are named on command lines: paths, URLs, `-` for standard input, and what shells make of
/// `<(command)`.
enum InputFile {
    static func asset(_ file: String, options: AssetOptions = AssetOptions()) -> Asset {
        guard let descriptor = descriptor(file) else { return URLAsset(file, options: options) }
        do {
            let name = descriptor == STDIN_FILENO ? "standard input" : file
            let source = try FileDescriptorDataSource(descriptor, subject: name)
            return DataAsset(FilmDataSource(source, name: name), name: name, options: options)
        } catch {
            // It is closed: which whoever opens the asset is told.
            return URLAsset("/dev/fd/\(descriptor)", options: options)
        }
    }

    /// Whether a name is that of a file of subtitles, by its ending.
    static func isSubtitles(_ file: String) -> Bool {
        let ending = (AssetLocation(file).displayName as NSString).pathExtension.lowercased()
        return SubtitleFile.extensions.contains(ending)
    }

    /// Whether a film can be opened twice: from a pipe nothing comes again.
    static func opensAgain(_ file: String) -> Bool {
        var status = stat()
        if let descriptor = descriptor(file) {
            return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }
        guard stat(file, &status) == 0 else { return file.contains("://") }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether a film is what comes on standard input.
    static func isStandardInput(_ file: String) -> Bool { descriptor(file) == STDIN_FILENO }

    /// The file descriptor that a name stands for; nil where it is that of a file.
    private static func descriptor(_ file: String) -> CInt? {
        if file == "-" || file == "/dev/stdin" { return STDIN_FILENO }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where file.hasPrefix(folder) {
            return CInt(file.dropFirst(folder.count)).flatMap { $0 >= 0 ? $0 : nil }
        }
        return nil
    }
}
