// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// Playlists, directories and links that refer to themselves, to a parent or to no media.
@Suite struct PlaylistLimitTests {
    private let folder = TemporaryFolder()
    private let manager = FileManager.default

    private func list(_ name: String, _ text: String) throws -> String {
        let url = folder.appending(name)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    private func play(_ file: String, _ more: String...) throws -> ProcessRunner.Result {
        try Tool.run(["play", "--headless", "--untimed", file] + more)
    }

    @Test(arguments: ["\0", "#EXTM3U\nfilm.mp4\n\0\n"])
    func `a playlist with a NUL byte is refused`(text: String) throws {
        let path = try list("nul.m3u8", text)
        try play(path).expectError(2, saying: [path, "NUL", "name a media file"])
    }

    @Test(arguments: [
        "udp://127.0.0.1:5000", "rtp://@239.1.2.3:5000", "srt://127.0.0.1:5000",
        "rtsp://user:secret@127.0.0.1/live",
    ])
    func `a playlist cannot name a stream that is received`(entry: String) throws {
        let result = try play(try list("list.m3u", entry + "\n"))
        result.expectError(2, saying: ["a playlist may not refer", "name it in place"])
        #expect(!result.standardError.contains("secret"))
    }

    @Test(arguments: ["pls", "xspf", "m3u"])
    func `a percent-encoded NUL byte does not cut a path short`(form: String) throws {
        let entry = "file://\(folder.url.path)%00/film.mp4"
        let text =
            switch form {
            case "pls": "[playlist]\nFile1=\(entry)\n"
            case "xspf": "<?xml?><playlist><track><location>\(entry)</location></track></playlist>"
            default: entry
            }
        try play(try list("list.\(form)", text)).expectError(2, saying: ["NUL", "name a file"])
    }

    @Test(arguments: [
        (".", "a playlist in the directory"), ("./", "a playlist in the directory"),
        ("..", "a playlist in the directory"), ("/", "a playlist in the directory"),
        ("sub/..", "a playlist in the directory"), ("up", "a playlist in the directory"),
        ("root", "a playlist in the directory"),
        ("/proc", "system directories"), ("/sys", "system directories"),
        ("/dev", "system directories"), ("/dev/zero", "system directories"),
        ("/proc/self/fd", "system directories"), ("/dev/fd/0", "system directories"),
        ("kernel", "system directories"), ("zero.mp4", "system directories"),
        ("file:///proc/", "system directories"),
        ("list.m3u8", "refers to itself"), ("sub/../list.m3u8", "refers to itself"),
        ("soft.m3u", "refers to itself"), ("hard.m3u", "refers to itself"),
    ])
    func `an entry that refers to its playlist, its parents or the system is refused`(
        entry: String, cause: String
    ) throws {
        let path = try list("list.m3u8", entry + "\n")
        let place = folder.url.path
        try manager.createDirectory(atPath: "\(place)/sub", withIntermediateDirectories: true)
        for (name, target) in [
            ("up", ".."), ("root", "/"), ("kernel", "/proc"), ("zero.mp4", "/dev/zero"),
            ("soft.m3u", "list.m3u8"),
        ] {
            try manager.createSymbolicLink(
                atPath: "\(place)/\(name)", withDestinationPath: target)
        }
        try manager.linkItem(atPath: path, toPath: "\(place)/hard.m3u")
        try play(path).expectError(2, saying: [cause, "remove this path from \(place)/"])
    }

    @Test(arguments: ["/proc", "/sys", "/dev"])
    func `a system directory on the command line is refused`(path: String) throws {
        try play(path).expectError(
            2, saying: [path, "system directories", "name another directory"])
    }

    @Test func `links in a directory are not followed out of it or in cycles`() throws {
        let film = try Films.silent(seconds: 1)
        let place = folder.url.path
        try manager.createDirectory(atPath: "\(place)/a/b", withIntermediateDirectories: true)
        try manager.copyItem(atPath: film, toPath: "\(place)/a/film.mp4")
        for (name, target) in [
            ("a/up", ".."), ("a/itself", "."), ("a/b/up", "../.."), ("a/b/root", "/"),
            ("a/b/again", "../b"), ("a/b/kernel", "/proc"), ("a/b/zero.mp4", "/dev/zero"),
        ] {
            try manager.createSymbolicLink(
                atPath: "\(place)/\(name)", withDestinationPath: target)
        }
        #expect(mkfifo("\(place)/a/b/pipe.mp4", 0o600) == 0)
        let result = try play("\(place)/a")
        result.expectSuccess()
        #expect(result.errorLines.count == 1, "\(result.standardError)")
        #expect(result.errorLines.last?.contains("30 frames shown") == true)
    }

    @Test func `directories beyond the depth limit are reported and skipped`() throws {
        let film = try Films.silent(seconds: 1)
        let place = folder.url.path
        let deep = place + String(repeating: "/d", count: 40)
        try manager.createDirectory(atPath: deep, withIntermediateDirectories: true)
        try manager.copyItem(atPath: film, toPath: "\(place)/film.mp4")
        try manager.copyItem(atPath: film, toPath: "\(deep)/film.mp4")
        let result = try play(place)
        #expect(result.status == 2)
        #expect(result.errorLines.count { $0.contains("nested deeper than 32") } == 1)
        #expect(result.errorLines.last?.contains("30 frames shown") == true)
    }

    @Test func `entries beyond the limit are reported and skipped`() throws {
        let film = try Films.silent(seconds: 1)
        let path = try list("long.m3u", String(repeating: film + "\n", count: 10_001))
        let result = try play(path, "--frames", "1")
        #expect(result.status == 2)
        #expect(
            result.errorLines.first?.contains("only the first 10000 entries are played") == true,
            "\(result.standardError)")
        #expect(result.errorLines.last?.contains("1 frame shown") == true)
    }

    @Test func `a playlist that is too large is refused, and is not opened as media`() throws {
        let path = try list("large.m3u8", String(repeating: "n.mp4\n", count: (8 << 20) / 6 + 1))
        try play(path).expectError(2, saying: [path, "the playlist exceeds 8 MiB", "split it"])
    }

    @Test func `playlists that are too large together are reported and skipped`() throws {
        let film = try Films.silent(seconds: 1)
        // Five files of 7 MiB, each below the limit of one file.
        let comment = "#" + String(repeating: "-", count: (7 << 20) - 2) + "\n"
        let names = try (1...5).map { try list("large\($0).m3u", comment + film + "\n") }
        let result = try play(try list("all.m3u", names.joined(separator: "\n")))
        #expect(result.status == 2)
        #expect(
            result.standardError.contains("the playlists together exceed 32 MiB"),
            "\(result.standardError.prefix(2000))")
        #expect(result.errorLines.last?.contains("frames shown") == true)
    }

    @Test func `many unplayable entries are reported up to a limit`() throws {
        let entries = (1...500).map { String(repeating: "/", count: $0) + "proc" }
        let result = try play(try list("bad.m3u", entries.joined(separator: "\n")))
        #expect(result.status == 2)
        #expect(result.errorLines.count <= 102)
        #expect(result.standardError.contains("without a message"))
    }
}
