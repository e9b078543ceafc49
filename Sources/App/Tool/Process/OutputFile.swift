// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Files that the program is told to write; `-` is standard output.
enum OutputFile {
    static let standardOutput = "-"

    /// Sees to it that a file can be written, before the work that leads to it is done.
    ///
    /// - Parameters:
    ///   - isReplaced: whether it is written beside its place, which it takes when it is whole: that
    ///     needs the folder, too.
    ///   - inputs: paths or addresses of what is read meanwhile, which it must not be.
    static func check(_ path: String?, isReplaced: Bool = false, inputs: [String] = []) throws {
        guard let path, path != standardOutput else { return }
        if let input = inputs.first(where: { isSame($0, path) }) {
            let which = input == path ? "it" : "it is \(input) and"
            throw ToolError(
                .wrongUsage, "\(path): \(which) is read, too; write into another file")
        }
        let manager = FileManager.default
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var isDirectory: ObjCBool = false
        let needsFolder = isReplaced && isRegular(path)
        let cause: String? =
            if manager.fileExists(atPath: path, isDirectory: &isDirectory) {
                if isDirectory.boolValue {
                    "it is a directory"
                } else if !manager.isWritableFile(atPath: path) {
                    "it may not be overwritten"
                } else if needsFolder, !manager.isWritableFile(atPath: folder) {
                    "nothing can be written into \(folder)"
                } else {
                    nil
                }
            } else if !manager.fileExists(atPath: folder, isDirectory: &isDirectory) {
                "there is no folder \(folder)"
            } else {
                isDirectory.boolValue && manager.isWritableFile(atPath: folder)
                    ? nil : "nothing can be written into \(folder)"
            }
        if let cause { throw unwritable(path, cause) }
    }

    /// Sees to it that a picture is not named for what it is not: all are written as PNG.
    static func checkPicture(_ path: String?, inputs: [String] = []) throws {
        guard let path else { return }
        if path == standardOutput { return try checkTerminal() }
        let ending = URL(fileURLWithPath: path).pathExtension.lowercased()
        if otherFormats.contains(ending) {
            throw ToolError(
                .wrongUsage, "\(path): pictures are written as PNG; name it .png")
        }
        try check(path, inputs: inputs)
    }

    private static let otherFormats: Set = [
        "jpg", "jpeg", "jxl", "webp", "gif", "bmp", "tif", "tiff", "avif", "heic", "exr", "tga",
        "ppm",
    ]

    /// Sees to it that a film can be written: beside its place, which only a file can give up to it.
    static func checkFilm(_ path: String) throws {
        var status = stat()
        let isFile =
            stat(path, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
        guard path != standardOutput, isFile else {
            throw ToolError(
                .wrongUsage,
                "\(path): a film is complete only when its end is known, and so is written into a "
                    + "file; name one, and read that afterwards")
        }
    }

    /// Writes a picture as a PNG.
    static func write(_ image: RGBAImage, to path: String) throws {
        guard path == standardOutput else { return try ImageFile.writePNG(image, to: path) }
        try checkTerminal()
        Console.print(bytes: Data(try ImageFile.png(image)))
    }

    /// Sees to it that bytes that are no text do not go to a terminal.
    private static func checkTerminal() throws {
        guard isatty(STDOUT_FILENO) == 1 else { return }
        throw ToolError(
            .wrongUsage, "standard output: a terminal shows no pictures; name a file, or use a pipe"
        )
    }

    /// Writes text: into a file whole or not at all; pipes, devices and links stay what they are.
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
            throw unwritable(path, "it cannot be written")
        }
    }

    /// Whether two names are those of one file.
    private static func isSame(_ input: String, _ path: String) -> Bool {
        guard case .file(let input) = AssetLocation(input) else { return false }
        var (first, second) = (stat(), stat())
        return stat(input, &first) == 0 && stat(path, &second) == 0
            && first.st_mode & S_IFMT == S_IFREG
            && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Whether it is a file, or nothing yet: what may be replaced.
    private static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    private static func unwritable(_ path: String, _ cause: String) -> ToolError {
        ToolError(
            .mediaFailure,
            "\(path): \(cause); choose a path where you may write, on a disk with room")
    }
}
