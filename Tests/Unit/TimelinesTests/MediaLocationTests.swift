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
}
