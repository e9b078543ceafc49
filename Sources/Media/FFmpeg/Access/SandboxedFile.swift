// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets

/// Functions that open regular files, optionally only those in one folder.
///
/// The file that is checked is exactly the file that is read. A path is resolved once, to a
/// descriptor that does not open the file yet (`O_PATH`). The descriptor is checked, and then
/// opened for reading. Therefore neither a symbolic link nor the replacement of a file in the
/// meantime can lead to another file. Pipes and devices are never opened, because opening them may
/// block or have side effects.
enum SandboxedFile {
    /// The value of `O_PATH` in Linux's `asm-generic/fcntl.h`. glibc declares it only for GNU
    /// sources.
    private static let pathOnly: Int32 = 0o10_000_000

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - folder: The folder that must contain the file, directly or in a subfolder, as a path
    ///     without symbolic links; nil for any folder.
    /// - Returns: The file, and its path without symbolic links.
    static func open(
        _ path: String, within folder: String? = nil
    ) throws(MediaError) -> (source: FileDescriptorDataSource, realPath: String) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw MediaError(
                .cannotOpen, subject: path, cause: "the path is empty",
                remedy: "name a file")
        }
        let handle = Glibc.open(path, pathOnly | O_CLOEXEC)
        guard handle >= 0 else { throw failure(errno, path) }
        defer { close(handle) }
        let link = "/proc/self/fd/\(handle)"
        let realPath = self.realPath(link)
        if let folder {
            guard let realPath, lies(realPath, in: folder) else {
                throw MediaError(
                    .notAllowed, subject: path, cause: "it is outside the folder \(folder)",
                    remedy: "allow the folder of this file if you trust the file")
            }
        }
        try check(handle, path)
        let descriptor = Glibc.open(
            realPath == nil ? path : link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(errno, path) }
        return (
            FileDescriptorDataSource(owning: descriptor, subject: path), realPath ?? path
        )
    }

    /// Returns a path without symbolic links; nil if the file does not exist.
    static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the folder of a path that has no symbolic links.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func lies(_ path: String, in folder: String) -> Bool {
        folder == "/" || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }

    private static func check(_ handle: Int32, _ path: String) throws(MediaError) {
        func refusal(
            _ cause: String, _ remedy: String, code: MediaError.Code = .cannotOpen
        ) -> MediaError {
            MediaError(code, subject: path, cause: cause, remedy: remedy)
        }
        var status = stat()
        guard fstat(handle, &status) == 0 else { throw failure(errno, path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw refusal("it is a directory", "name a file in it")
        default: throw refusal("it is a device or a pipe, not a file", "copy it to a file")
        }
        // Files that the kernel generates while they are read, such as /proc/self/environ, also
        // have no size.
        guard status.st_size > 0 else {
            throw refusal("the file is empty", "copy or download it again", code: .unknownFormat)
        }
    }

    private static func failure(_ error: Int32, _ path: String) -> MediaError {
        func refusal(_ cause: String, _ remedy: String) -> MediaError {
            MediaError(.cannotOpen, subject: path, cause: cause, remedy: remedy)
        }
        switch error {
        case ENOENT, ENOTDIR:
            if let scheme = path.firstRange(ofText: "://") {
                return refusal(
                    "there is no such file, and addresses of \(path[..<scheme.lowerBound]) "
                        + "are not supported", "use a file, or http or https")
            }
            // Bytes that are not valid text were replaced by this character, so the file cannot be
            // found.
            if path.unicodeScalars.contains("\u{FFFD}") {
                return refusal("its name is not UTF-8", "rename it")
            }
            return refusal("there is no such file", "check the path")
        case EACCES, EPERM: return refusal("it may not be read", "check its permissions")
        case EMFILE, ENFILE:
            return MediaError.tooManyOpenFiles(path)
        default:
            return refusal(
                "it cannot be read (\(FFmpegError(ph_AVERROR(error)).text))", "check the path")
        }
    }
}
