// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport

/// The targets that hostile playlists try to reach, set up so that access to them is detected: a
/// file, a pipe and a socket under `/tmp`, a playlist, and servers on both loopback addresses.
///
/// The names and the port are the ones that the collection's playlists contain.
final class Bait {
    static let file = "/tmp/canary.txt"
    private static let pipe = "/tmp/canary.fifo"
    private static let playlist = "/tmp/canary.m3u8"
    private static let socket = "/tmp/canary.sock"
    /// The file that a playlist tries to make the player write.
    private static let written = "/tmp/written_by_player"
    private static let port = 18080

    /// The standard input of a program under test.
    let input: URL
    private let folder = TemporaryFolder()
    private let servers: [LoopbackServer]
    private let watch: Int32
    private var seenConnections = 0

    init() throws {
        let all = [Self.file, Self.pipe, Self.playlist, Self.socket, Self.written]
        for path in all where FileManager.default.fileExists(atPath: path) {
            throw CannotProve("hostile: \(path) is in the way; remove it")
        }
        let secret = Data(String(repeating: "the canary's song\n", count: 100).utf8)
        // The servers are started first, so that no files are left behind if the port is taken.
        do {
            servers = try [.ipv4, .ipv6].map { (family: LoopbackServer.Family) in
                try LoopbackServer(family, port: Self.port) { _ in .bytes(Array(secret)) }
            }
        } catch { throw CannotProve("hostile: \(error)") }
        input = folder.appending("input")
        for path in [Self.file, input.path] { try secret.write(to: URL(filePath: path)) }
        try Data("#EXTM3U\n#EXTINF:1,\n\(Self.file)\n#EXT-X-ENDLIST\n".utf8)
            .write(to: URL(filePath: Self.playlist))
        guard mkfifo(Self.pipe, 0o600) == 0, mkfifo(Self.socket, 0o600) == 0 else {
            throw CannotProve("hostile: no pipe can be made in /tmp")
        }
        watch = inotify_init1(Int32(IN_NONBLOCK))
        let events = UInt32(IN_OPEN | IN_ACCESS | IN_MODIFY)
        for path in [Self.file, Self.pipe, Self.playlist, Self.socket] {
            inotify_add_watch(watch, path, events)
        }
        // The shell that redirects the file opens it, but no process reads it.
        inotify_add_watch(watch, input.path, UInt32(IN_ACCESS))
    }

    deinit {
        close(watch)
        for path in [Self.file, Self.pipe, Self.playlist, Self.socket, Self.written] {
            unlink(path)
        }
    }

    /// Returns descriptions of the accesses since the last call.
    func taken() -> [String] {
        var taken: [String] = []
        let size = 64 << 10
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        if read(watch, buffer, size) > 0 { taken.append("a file or pipe was opened or read") }
        let connections = servers.reduce(0) { $0 + $1.connectionCount }
        if connections > seenConnections { taken.append("a connection to this machine was made") }
        seenConnections = connections
        if unlink(Self.written) == 0 { taken.append("a file was written") }
        return taken
    }

    /// Accesses some of the bait, and returns whether the accesses are detected.
    func tells() throws -> Bool {
        _ = try Data(contentsOf: URL(filePath: Self.file))
        guard taken() == ["a file or pipe was opened or read"] else { return false }
        for server in servers {
            let result = try ProcessRunner.run(["ffprobe", "-v", "quiet", server.url("/")])
            guard result.status != 0, taken() == ["a connection to this machine was made"] else {
                return false
            }
        }
        return true
    }
}
