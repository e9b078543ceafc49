// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The folder that `--browse` shows, and the files that play first.
struct BrowsedFolder {
    /// The absolute path of the folder.
    let path: String
    /// The files and directories on the command line that play first; none if the folder itself was
    /// named.
    let files: [String]

    /// Finds the folder for the arguments of a command line: the first file or directory that
    /// exists decides, and without one it is the user's videos. Several directories, or directories
    /// and files, are a playlist.
    ///
    /// - Throws: if a single directory does not exist.
    init(_ arguments: [String]) throws {
        if arguments.count == 1, let path = Self.path(of: arguments[0]) {
            let identity = FileIdentity(path)
            if identity == nil && ImagePattern(path) == nil || identity?.isDirectory == true {
                try FolderListing.check(path)
                self.path = ExactPath(path).absolute.text
                files = []
                return
            }
        }
        let first = arguments.first { Self.path(of: $0).flatMap { FileIdentity($0) } != nil }
        path = first.flatMap(Self.folder(of:)) ?? UserFolders.videos
        files = arguments
    }

    /// Returns the path that an argument names; nil for a remote file and for standard input.
    static func path(of argument: String) -> String? {
        guard !InputFile.isStandardInput(argument),
            case .file(let path) = AssetLocation(argument), !path.isEmpty
        else { return nil }
        return path
    }

    /// Returns the absolute path of the directory that an argument names, or that contains the file
    /// which it names; nil for a remote file and for standard input.
    static func folder(of argument: String) -> String? {
        guard let path = path(of: argument) else { return nil }
        let absolute = ExactPath(path).absolute
        let isDirectory = FileIdentity(path)?.isDirectory == true
        return isDirectory ? absolute.text : absolute.parent?.text
    }
}
