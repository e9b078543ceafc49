// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadPlayerUI
import PlayheadTime
import Testing

@testable import PlayheadTool

/// The folders that `play --browse` shows.
@Suite struct FolderListingTests {
    private let folder = TemporaryFolder()
    private let manager = FileManager.default
    private var place: String { folder.url.path }

    private func make(_ name: String) throws {
        let url = folder.appending(name)
        try manager.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: url)
    }

    private func link(_ name: String, to target: String) throws {
        try manager.createSymbolicLink(
            atPath: "\(place)/\(name)", withDestinationPath: target)
    }

    private func names(_ path: String, trail: [String]? = nil) throws -> [String] {
        try FolderListing.contents(of: path, trail: trail ?? [path]).entries.map(\.name)
    }

    @Test func `folders come first, then media files, in natural order, without hidden ones`()
        throws
    {
        for name in [
            "clip 10.mp4", "clip 2.MKV", "Clip 1.webm", "song.flac", ".hidden.mp4", "notes.txt",
            "film.srt", "season 10/1.mp4", "Season 9/1.mp4", ".cache/1.mp4", "list.m3u",
        ] { try make(name) }
        #expect(
            try names(place) == [
                "Season 9", "season 10", "Clip 1.webm", "clip 2.MKV", "clip 10.mp4", "song.flac",
            ])
    }

    @Test func `links lead neither to themselves nor above, nor into the kernel's trees`() throws {
        try make("a/b/film.mp4")
        try make("other/film.mp4")
        for (name, target) in [
            ("a/itself", "."), ("a/up", ".."), ("a/root", "/"), ("a/kernel", "/proc"),
            ("a/zero.mp4", "/dev/zero"), ("a/gone.mp4", "nothing"), ("a/other", "../other"),
            ("other/back", "../a"), ("a/linked.mp4", "b/film.mp4"),
        ] { try link(name, to: target) }
        #expect(mkfifo("\(place)/a/pipe.mp4", 0o600) == 0)
        let contents = try FolderListing.contents(of: "\(place)/a", trail: ["\(place)/a"])
        #expect(contents.entries.map(\.name) == ["b", "other", "gone.mp4", "linked.mp4"])
        #expect(
            contents.entries.map(\.problem) == [
                nil, nil, "The file that this link names does not exist.", nil,
            ])
        // The way back to the folder through which the user came is left out.
        let other = "\(place)/a/other"
        #expect(try names(other, trail: ["\(place)/a", other]) == ["film.mp4"])
        #expect(try names(other) == ["back", "film.mp4"])
    }

    @Test func `folders that cannot be read are typed errors`() throws {
        try make("film.mp4")
        func code(_ path: String, trail: [String] = []) -> MediaError.Code? {
            do throws(MediaError) {
                _ = try FolderListing.contents(of: path, trail: trail)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code("\(place)/nothing") == .cannotOpen)
        #expect(code("\(place)/film.mp4") == .cannotOpen)
        #expect(code("/proc") == .notAllowed)
        #expect(code("/dev/fd") == .notAllowed)
        #expect(code(place, trail: Array(repeating: "/", count: 33)) == nil)
        #expect(code(place, trail: Array(repeating: "/", count: 34)) == .limitExceeded)
    }

    @Test func `a folder that takes too long is cut short, and a note says so`() throws {
        for index in 0..<30 { try make("\(index).mp4") }
        // With the longer step, reading the names takes all of the time.
        for step in [MediaTime(value: 2, timescale: 5), MediaTime(value: 1, timescale: 1)] {
            var time = MediaTime.zero
            let contents = try FolderListing.contents(of: place, trail: [place]) {
                defer { time += step }
                return time
            }
            #expect((1..<30).contains(contents.entries.count), "\(contents.entries.count)")
            #expect(contents.note == "The search for media ended after 10 seconds.")
        }
    }

    @Test func `folders with names that are not UTF-8 are counted in a note`() throws {
        try make("film.mp4")
        for name in ["\u{E9}", "e\u{301}"] { try make("\(name)/film.mp4") }
        #expect(try FolderListing.contents(of: place, trail: [place]).note == nil)
        for name: [UInt8] in [[0x61, 0xFF], [0xC3], [0x2E, 0xFF]] {
            let path = Array("\(place)/".utf8) + name + [0]
            #expect(mkdir(path.map { CChar(truncatingIfNeeded: $0) }, 0o700) == 0)
        }
        let contents = try FolderListing.contents(of: place, trail: [place])
        #expect(contents.entries.count == 3)
        // The hidden one does not count.
        #expect(contents.note == "Folders with names that are not UTF-8 are left out: 2.")
    }

    @Test func `a file that changes has another stamp`() throws {
        try make("film.mp4")
        let before = try FolderListing.contents(of: place, trail: [place]).entries
        #expect(try FolderListing.contents(of: place, trail: [place]).entries == before)
        try Data([1]).write(to: folder.appending("film.mp4"))
        #expect(try FolderListing.contents(of: place, trail: [place]).entries != before)
    }

    // MARK: The folder to show

    @Test(
        arguments: [
            ("XDG_VIDEOS_DIR=\"$HOME/Videos\"\n", "/home/me/Videos"),
            (
                "# a remark\n  XDG_VIDEOS_DIR=\"/mnt/my films\"\nXDG_MUSIC_DIR=\"/m\"\n",
                "/mnt/my films"
            ),
            ("XDG_VIDEOS_DIR=\"$HOME/a \\\"b\\\"\"", "/home/me/a \"b\""),
            ("XDG_VIDEOS_DIR=\"$HOME/\"", "/home/me"),
            ("XDG_VIDEOS_DIR=\"/a\"\nXDG_VIDEOS_DIR=\"/b\"\n", "/b"),
            ("XDG_VIDEOS_DIR=\"relative\"", nil), ("XDG_VIDEOS_DIR=\"/a", nil),
            ("XDG_MUSIC_DIR=\"/m\"", nil), ("", nil),
        ] as [(String, String?)])
    func `the videos folder is that of user-dirs.dirs`(text: String, path: String?) {
        #expect(UserFolders.videos(in: text, home: "/home/me") == path)
    }

    @Test func `files play first, and the folder is theirs`() throws {
        try make("a/film.mp4")
        try make("a/b/film.mp4")
        let file = "\(place)/a/b/film.mp4"
        let named = try BrowsedFolder([file, "https://example.org/film.mp4"])
        #expect(named.path == "\(place)/a/b")
        #expect(named.files == [file, "https://example.org/film.mp4"])
        #expect(try BrowsedFolder(["\(place)/a/./b/.."]).path == "\(place)/a")
        #expect(try BrowsedFolder(["file://\(place)/a"]).path == "\(place)/a")
        #expect(try BrowsedFolder(["\(place)/a"]).files.isEmpty)
        #expect(try BrowsedFolder(["https://example.org/"]).files == ["https://example.org/"])
        // A desktop names files by URLs.
        let url = URL(filePath: file).absoluteString
        #expect(try BrowsedFolder([url]).path == "\(place)/a/b")
        #expect(BrowsedFolder.folder(of: url) == "\(place)/a/b")
        #expect(BrowsedFolder.folder(of: "https://example.org/film.mp4") == nil)
        #expect(BrowsedFolder.folder(of: "-") == nil)
    }

    @Test func `several folders, or a folder and a file, are a playlist`() throws {
        try make("a/film.mp4")
        try make("b/film.mp4")
        let (a, b) = ("\(place)/a", "\(place)/b")
        for arguments in [[a, b], [a, "\(b)/film.mp4"], ["\(a)/film.mp4", b]] {
            let named = try BrowsedFolder(arguments)
            #expect(named.path == a && named.files == arguments)
        }
    }

    @Test func `a folder that does not exist ends the program`() throws {
        try make("a/film.mp4")
        let (a, gone) = ("\(place)/a", "\(place)/gone")
        try Tool.run("play", "--browse", gone).expectError(
            2, saying: [gone, "there is no such file or directory", "name another"])
        try Tool.run("play", "--browse", "/proc").expectError(
            2, saying: ["/proc", "system directories", "name another"])
        try Tool.run("play", "--browse", a, "--headless").expectError(
            1, saying: ["--browse needs a window"])
        try Tool.run("play", "--browse", "camera:0").expectError(1, saying: ["--browse"])
    }
}
