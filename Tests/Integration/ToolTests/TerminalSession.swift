// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MediaTestSupport
import Testing

/// A shell command in a terminal of its own, with a display of its own, and keys typed by a test.
struct TerminalSession {
    let program: ChildProcess
    private let display: XServer
    private let log: URL
    private let keys: FileHandle

    /// - Parameter folder: the folder for the output of the terminal.
    init(_ command: String, folder: TemporaryFolder, environment: [String: String]) throws {
        display = try XServer()
        log = folder.appending("log")
        let path = folder.appending("keys").path
        try #require(mkfifo(path, 0o600) == 0)
        program = try ChildProcess(
            ["sh", "-c", "exec script -qfec \"$0\" \"$1\" < \"$2\"", command, log.path, path],
            environment: Tool.bare.merging(environment) { $1 }
                .merging(["DISPLAY": display.name, "TERM": "xterm"]) { $1 },
            directory: folder.url)
        keys = try #require(FileHandle(forWritingAtPath: path))
    }

    /// The output so far.
    var text: String { String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self) }

    func type(_ characters: String) throws { try keys.write(contentsOf: Data(characters.utf8)) }
}
