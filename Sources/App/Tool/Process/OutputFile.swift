// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Output files; `-` is standard output.
enum OutputFile {
    static let standardOutput = "-"

    /// Checks that a file can be written. It is called before the work begins.
    ///
    /// - Parameters:
    ///   - isReplaced: True if the output is written to a temporary file in the same directory and
    ///     replaces the file at the end. In that case the directory must be writable.
    ///   - inputs: The paths or URLs of the inputs, which the output must not overwrite.
    static func check(_ path: String?, isReplaced: Bool = false, inputs: [String] = []) throws {
        guard let path, path != standardOutput else { return }
        if let input = inputs.first(where: { isSame($0, path) }) {
            let which = input == path ? "" : " (\(input))"
            throw ToolError(
                .wrongUsage, "\(path): the output is also an input\(which); write to another file")
        }
        let manager = FileManager.default
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var isDirectory: ObjCBool = false
        if manager.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
            throw ToolError(.mediaFailure, "\(path): the path is a directory; add a file name")
        }
        let needsFolder = isReplaced && isRegular(path)
        let cause: String? =
            if manager.fileExists(atPath: path) {
                if !manager.isWritableFile(atPath: path) {
                    "the file is not writable"
                } else if needsFolder, !manager.isWritableFile(atPath: folder) {
                    "directory \(folder) is not writable"
                } else {
                    nil
                }
            } else if !manager.fileExists(atPath: folder, isDirectory: &isDirectory) {
                "no directory \(folder)"
            } else {
                isDirectory.boolValue && manager.isWritableFile(atPath: folder)
                    ? nil : "directory \(folder) is not writable"
            }
        if let cause { throw unwritable(path, cause) }
    }

    /// Checks the extension of an image, which must be `png` because images are written as PNG.
    static func checkPicture(_ path: String?, inputs: [String] = []) throws {
        guard let path else { return }
        if path == standardOutput { return try checkTerminal() }
        let ending = URL(fileURLWithPath: path).pathExtension.lowercased()
        if otherFormats.contains(ending) {
            throw ToolError(
                .wrongUsage, "\(path): images are written as PNG; use the extension .png")
        }
        try check(path, inputs: inputs)
    }

    private static let otherFormats: Set = [
        "jpg", "jpeg", "jxl", "webp", "gif", "bmp", "tif", "tiff", "avif", "heic", "exr", "tga",
        "ppm",
    ]

    /// Checks that a media file can be written. It must be a regular file, because a temporary file
    /// replaces it once the output is complete.
    static func checkMovie(_ path: String) throws {
        var status = stat()
        let isFile =
            stat(path, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
        guard path != standardOutput, isFile else {
            throw ToolError(
                .wrongUsage,
                "\(path): a media file cannot be written to a pipe, which does not support "
                    + "seeking; name a file")
        }
    }

    /// Writes an image as a PNG file.
    static func write(_ image: RGBAImage, to path: String) throws {
        guard path == standardOutput else { return try ImageFile.writePNG(image, to: path) }
        try checkTerminal()
        Console.print(bytes: Data(try ImageFile.png(image)))
    }

    /// Throws an error if binary data would be written to a terminal.
    private static func checkTerminal() throws {
        guard isatty(STDOUT_FILENO) == 1 else { return }
        throw ToolError(
            .wrongUsage,
            "standard output: a terminal cannot show images; name a file, or use a pipe"
        )
    }

    /// Writes text. A regular file is replaced atomically. A pipe, a device or a link is not
    /// replaced, but written to.
    static func write(_ text: String, to path: String) throws {
        if path == standardOutput { return Console.print(bytes: Data(text.utf8)) }
        let isFile = isRegular(path)
        do {
            if isFile {
                try text.write(toFile: path, atomically: true, encoding: .utf8)
            } else {
                let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
                guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
                try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
                    .write(contentsOf: Data(text.utf8))
            }
        } catch {
            throw unwritable(path, "the file cannot be written")
        }
    }

    /// Returns whether an input and an output are the same file.
    private static func isSame(_ input: String, _ path: String) -> Bool {
        guard case .file(let input) = AssetLocation(input) else { return false }
        var (first, second) = (stat(), stat())
        return stat(input, &first) == 0 && stat(path, &second) == 0
            && first.st_mode & S_IFMT == S_IFREG
            && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Returns whether a path can be replaced: it is a regular file, or does not exist.
    private static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    private static func unwritable(_ path: String, _ cause: String) -> ToolError {
        ToolError(
            .mediaFailure,
            "\(path): \(cause); choose a writable path with free space")
    }
}
