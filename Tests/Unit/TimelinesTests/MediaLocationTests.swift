// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadAssets
import PlayheadTimelines
import Testing

/// The media that a timeline may name.
@Suite final class MediaLocationTests {
    private let root: URL
    private let folder: URL

    init() throws {
        root = FileManager.default.temporaryDirectory
            .appendingPathComponent("locate-\(UUID().uuidString)").resolvingSymlinksInPath()
        folder = root.appendingPathComponent("edit")
        for path in ["edit/media", "other/deep"] {
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent(path), withIntermediateDirectories: true)
        }
        for path in ["edit/media/in side.mov", "other/deep/out.mov", "secret.mov"] {
            try Data([1]).write(to: root.appendingPathComponent(path))
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link.mov", withDestinationPath: root.path + "/secret.mov")
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    private func read(
        _ url: String, mediaFolders: [String] = []
    ) throws -> (TimelineMedia?, [TimelineNote]) {
        let file = folder.appendingPathComponent("cut.otio")
        let text = TimelineText.timeline([
            TimelineText.track([TimelineText.clip("a", TimelineText.range(0, 5), url: url)])
        ])
        try Data(text.utf8).write(to: file)
        let timeline = try Timeline(
            path: file.path, options: TimelineOptions(mediaFolders: mediaFolders))
        return (timeline.tracks.first?.clips.first?.media, timeline.notes)
    }

    @Test func `media below the timeline is found by path and by URL`() throws {
        let path = folder.path + "/media/in side.mov"
        for url in ["media/in side.mov", "media/in%20side.mov", path, "file://\(path)"] {
            let (media, notes) = try read(url)
            #expect(media == .location(.file(path: path)), "\(url)")
            #expect(notes.isEmpty, "\(url)")
        }
    }

    @Test func `media outside of the folder is not opened, by whatever way it is named`() throws {
        let urls = [
            "../secret.mov", "media/../../secret.mov", "link.mov", root.path + "/secret.mov",
            "file://\(root.path)/secret.mov", "/etc/passwd", "/proc/self/environ",
            "http://127.0.0.1/x.mov", "https://example.org/x.mov", "media/%2e%2e/%2e%2e/secret.mov",
        ]
        for url in urls {
            let (media, notes) = try read(url)
            #expect(media == .missing, "\(url)")
            #expect(notes.count == 1, "\(url)")
        }
    }

    @Test func `a media folder is allowed, and searched by the name of the file`() throws {
        let folders = [root.appendingPathComponent("other").path]
        let path = root.path + "/other/deep/out.mov"
        for url in [path, "file://localhost/D%3a/media/out.mov", "http://example.org/out.mov"] {
            let (media, notes) = try read(url, mediaFolders: folders)
            #expect(media == .location(.file(path: path)), "\(url)")
            #expect(notes.isEmpty, "\(url)")
        }
        #expect(try read("secret.mov", mediaFolders: folders).0 == .missing)
    }

    // MARK: - Archives

    /// Writes a ZIP file of entries that are not compressed.
    private func archive(
        _ entries: [(name: String, bytes: [UInt8])], statedSize: UInt32? = nil, method: UInt8 = 0,
        attributes: UInt16 = 0
    ) throws -> String {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var (data, index): ([UInt8], [UInt8]) = ([], [])
        for (name, bytes) in entries {
            let size = statedSize.map(Int.init) ?? bytes.count
            let common =
                number(20, 2) + number(0, 2) + [method, 0] + number(0, 8)
                + number(bytes.count, 4) + number(size, 4) + number(name.utf8.count, 2)
                + number(0, 2)
            index +=
                [0x50, 0x4B, 1, 2] + number(0, 2) + common + number(0, 6) + number(0, 2)
                + number(Int(attributes), 2) + number(data.count, 4) + Array(name.utf8)
            data += [0x50, 0x4B, 3, 4] + common + Array(name.utf8) + bytes
        }
        let end =
            [0x50, 0x4B, 5, 6] + number(0, 4) + number(entries.count, 2) + number(entries.count, 2)
            + number(index.count, 4) + number(data.count, 4) + number(0, 2)
        let path = folder.appendingPathComponent("\(UUID().uuidString).otioz").path
        try Data(data + index + end).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func content(_ url: String) -> [UInt8] {
        Array(
            TimelineText.timeline([
                TimelineText.track([TimelineText.clip("a", TimelineText.range(0, 5), url: url)])
            ]).utf8)
    }

    @Test func `an archive reaches its own entries and nothing else`() throws {
        let path = try archive([
            ("content.otio", content("media/a.mov")), ("media/a.mov", [1, 2, 3]),
            ("../secret.mov", [4]),
        ])
        let timeline = try Timeline(path: path)
        #expect(
            timeline.tracks[0].clips[0].media == .archive(path: path, entry: "media/a.mov"))
        for url in ["../../secret.mov", "/etc/passwd", root.path + "/secret.mov"] {
            let path = try archive([("content.otio", content(url))])
            #expect(try Timeline(path: path).tracks[0].clips[0].media == .missing, "\(url)")
        }
    }

    @Test func `entries that state a wrong size, are links or encrypted are refused`() throws {
        let bytes = content("x")
        let wrong = [
            try archive([("content.otio", bytes)], statedSize: 0xFFFF_FFF0, method: 8),
            try archive([("content.otio", bytes)], statedSize: 1 << 20, method: 8),
            try archive([("content.otio", bytes)], attributes: 0xA1FF),
            try archive([("content.otio", bytes)], method: 12),
            try archive([("other", bytes)]),
        ]
        for path in wrong { #expect(throws: MediaError.self) { try Timeline(path: path) } }
    }

    @Test func `an archive that is cut off anywhere is refused`() throws {
        let path = try archive([("content.otio", content("x")), ("media/x", [1, 2, 3])])
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for count in stride(from: 2, to: whole.count - 1, by: 37) {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path))
            #expect(throws: MediaError.self) { try Timeline(path: path) }
        }
    }
}
