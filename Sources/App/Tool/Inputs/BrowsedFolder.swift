// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The folder that `--browse` shows, and the files that play first.
struct BrowsedFolder {
    /// The absolute path of the folder.
    let path: String
    /// The files on the command line; none if the folder itself was named.
    let files: [String]

    /// Finds the folder for the arguments of a command line: the directory among them, or the one
    /// of the first file, or the user's videos.
    ///
    /// - Throws: if a directory does not exist, or several are named.
    init(_ arguments: [String]) throws {
        if arguments.count == 1, let path = Self.path(of: arguments[0]) {
            let identity = FileIdentity(path)
            if identity == nil && ImagePattern(path) == nil || identity?.isDirectory == true {
                try FolderListing.check(path)
                self.path = Self.absolute(path)
                files = []
                return
            }
        }
        let paths = arguments.compactMap(Self.path(of:))
        guard !paths.contains(where: { FileIdentity($0)?.isDirectory == true }) else {
            throw ToolError(
                .wrongUsage, "--browse shows one directory; name no other files or directories")
        }
        let first = paths.first { FileIdentity($0) != nil }
        path = first.map(Self.folder(of:)) ?? UserFolders.videos
        files = arguments
    }

    /// Returns the path of an argument; nil for a URL and for standard input.
    private static func path(of argument: String) -> String? {
        guard !InputFile.isStandardInput(argument),
            case .file(let path) = AssetLocation(argument), !path.isEmpty
        else { return nil }
        return path
    }

    /// Returns the absolute path of the directory that contains a file.
    static func folder(of file: String) -> String {
        (absolute(file) as NSString).deletingLastPathComponent
    }

    /// Returns the absolute path, without `.` and `..`.
    static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardized.path
    }
}
