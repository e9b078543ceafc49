// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// Timelines whose media is in an archive, missing, or not what it seems.
@Suite(
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"), .timeLimit(.minutes(20)))
struct TimelineInputTests {
    private let folder = TemporaryFolder()

    /// Returns a timeline with one clip of 20 frames at 30 fps, from the tenth frame of its media.
    private func timeline(_ url: String?, name: String = "clip") -> String {
        func time(_ frame: Int) -> String {
            #"{"OTIO_SCHEMA":"RationalTime.1","value":\#(frame),"rate":30}"#
        }
        let reference =
            url.map { #"{"OTIO_SCHEMA":"ExternalReference.1","target_url":"\#($0)"}"# }
            ?? #"{"OTIO_SCHEMA":"MissingReference.1"}"#
        return #"""
            {"OTIO_SCHEMA":"Timeline.1","name":"t","tracks":{"OTIO_SCHEMA":"Stack.1","children":[
            {"OTIO_SCHEMA":"Track.1","kind":"Video","children":[
            {"OTIO_SCHEMA":"Clip.1","name":"\#(name)","source_range":{"OTIO_SCHEMA":"TimeRange.1",
            "start_time":\#(time(10)),"duration":\#(time(20))},"media_reference":\#(reference)}]}]}}
            """#
    }

    private func write(_ text: String, to name: String) throws -> String {
        let url = folder.appending(name)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    @Test(arguments: [false, true])
    func `media in an archive is read from within it`(isCompressed: Bool) throws {
        let film = try Films.silent(seconds: 2)
        let bytes = Array(try Data(contentsOf: URL(filePath: film)))
        let media: TestArchive.Entry =
            isCompressed
            ? .init("media/film.mp4", deflated: TestArchive.deflated(bytes), size: bytes.count)
            : .init("media/film.mp4", bytes)
        let text = Array(timeline("media/film.mp4").utf8)
        let file = folder.appending("cut.otioz")
        try TestArchive([.init("content.otio", text), media]).write(to: file)
        let shown = try Tool.frames(of: file.path)
        let source = try Tool.frames(of: film)
        #expect(shown.count == 20)
        #expect(shown.map(\.digest) == source[10..<30].map(\.digest))
    }

    @Test func `an archive that states false sizes is refused or shows a placeholder`() throws {
        let zeros = TestArchive.deflatedZeros(repeats: 10_000)
        let lie = folder.appending("lie.otioz")
        try TestArchive([.init("content.otio", deflated: zeros, size: 10)]).write(to: lie)
        let result = try Tool.run("inspect", lie.path)
        result.expectError(2, saying: ["entry content.otio", "bundle the media again"])

        let bomb = folder.appending("bomb.otioz")
        let text = Array(timeline("film.mp4").utf8)
        try TestArchive([
            .init("content.otio", text), .init("film.mp4", deflated: zeros, size: 10),
        ]).write(to: bomb)
        let inspected = try Tool.run("inspect", bomb.path)
        inspected.expectSuccess()
        #expect(inspected.standardError.contains("film.mp4"), "\(inspected.standardError)")
        #expect(inspected.standardError.contains("a placeholder is shown"))
    }

    @Test func `a playlist in an archive reaches no file outside`() throws {
        let film = try Films.broadcast(seconds: 1)
        let text = Array(timeline("list.m3u8").utf8)
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(film)\n#EXT-X-ENDLIST\n"
        let file = folder.appending("cut.otioz")
        try TestArchive([("content.otio", text), ("list.m3u8", Array(list.utf8))])
            .write(to: file)
        let result = try Tool.run("inspect", file.path)
        result.expectSuccess()
        #expect(result.standardError.contains("a placeholder is shown"), "\(result.standardError)")
    }

    @Test func `a timeline that contains itself shows a placeholder`() throws {
        let file = try write(timeline("cut.otio"), to: "cut.otio")
        let result = try Tool.run("inspect", file)
        result.expectSuccess()
        #expect(result.standardError.contains("a placeholder is shown"), "\(result.standardError)")
        #expect(try Tool.frames(of: file).count == 1)
    }

    @Test func `the placeholder of missing media shows the name of its clip`() throws {
        func picture(_ name: String) throws -> TestImage {
            let file = try write(timeline(nil, name: name), to: "\(name).otio")
            let output = folder.appending("\(name).png")
            try Tool.run("snapshot", file, "--at", "0.3", "-o", output.path).expectSuccess()
            return try TestImage(contentsOf: output)
        }
        let (first, second) = (try picture("first"), try picture("another"))
        for image in [first, second] {
            // White text on dark grey stripes.
            let bright = stride(from: 0, to: image.pixels.count, by: 4).count {
                image.pixels[$0] > 200
            }
            #expect(bright > 50)
        }
        #expect(first.pixels != second.pixels)
        #expect(try picture("first").pixels == first.pixels)
    }
}
