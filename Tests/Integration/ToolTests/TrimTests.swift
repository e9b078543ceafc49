// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

/// Trimming by hand, with real keys and a real pointer.
///
/// In a window of 480 by 640 the view is at the lower edge: the strip of thumbnails begins at 26,
/// 504, and with the waveform it is 428 wide and 97 high. The handles are 10 wide, beside it.
@Suite(
    .serialized, .enabled(if: XServer.isAvailable, XServer.absence),
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"), .timeLimit(.minutes(20)))
struct TrimTests {
    private static let strip = (x: 26.0, y: 550, width: 428.0)
    private static let footer = 606..<630

    private let folder = TemporaryFolder()

    /// Copies a video of 60 frames with audio into the folder. With FFV1 and FLAC, each frame and
    /// each sample can be compared.
    private func film(isLossless: Bool) throws -> String {
        let length = MediaTime(value: 2, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: length),
            sounds: [SyntheticSound(.sampleNumbers, duration: length)])
        media.keyframeInterval = 10
        let clip =
            isLossless
            ? SyntheticClip(
                media, videoCodec: "ffv1", audioCodec: "flac", container: "mkv",
                options: ["-sample_fmt", "s32"])
            : SyntheticClip(media)
        let path = folder.appending(isLossless ? "film.mkv" : "film.mp4").path
        try FileManager.default.copyItem(atPath: try clip.url().path, toPath: path)
        return path
    }

    /// Opens a video, paused on its first frame, with the view.
    private func start(
        _ path: String, _ next: String? = nil, by starter: [String] = []
    ) throws -> PlayerSession {
        let session =
            try next.map { try PlayerSession(path, $0, "--pause", "--no-config") }
            ?? PlayerSession(path, "--pause", "--no-config", by: starter)
        try session.waitForFrame("the first frame") { $0 == 0 }
        try session.press("c")
        try eventually("the handles") { try hasHandle(session, at: Self.strip.x - 5) }
        return session
    }

    /// Returns whether there is a handle, which is yellow, around an x coordinate.
    private func hasHandle(_ session: PlayerSession, at x: Double) throws -> Bool {
        let pixel = try session.shot()[Int(x), 515]
        return pixel.x > 180 && pixel.y > 130 && pixel.z < 120
    }

    /// Returns the number of pixels of the last line whose colour satisfies a condition.
    private func count(
        _ session: PlayerSession, _ isRight: (SIMD4<UInt8>) -> Bool
    ) throws -> Int {
        let image = try session.shot()
        return Self.footer.map { y in (16..<464).count { isRight(image[$0, y]) } }.reduce(0, +)
    }

    private func asks(_ session: PlayerSession) throws -> Bool {
        try count(session) { $0.x > 200 && $0.y > 150 && $0.z < 110 } > 20
    }

    private func showsFailure(_ session: PlayerSession) throws -> Bool {
        try count(session) { $0.x > 220 && (110..<190).contains($0.y) && $0.z < 180 } > 20
    }

    private func repeated(_ key: String, _ count: Int, in session: PlayerSession) throws {
        for _ in 0..<count { try session.press(key) }
    }

    /// Waits until a file has been saved.
    private func saved(_ name: String) throws -> String {
        let path = folder.appending(name).path
        try eventually("the file \(name)") { FileManager.default.fileExists(atPath: path) }
        return path
    }

    /// Returns the samples of a file's audio, each of 8 bytes.
    private func samples(of path: String) throws -> Data {
        let output = folder.appending("samples").path
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-y", "-i", path, "-vn", "-f", "s32le", output])
        return try Data(contentsOf: URL(filePath: output))
    }

    /// Checks that a file has the frames of the source in a range, and its audio to the sample.
    private func check(
        _ path: String, isPart range: Range<Int>, of source: String,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let all = try Tool.frames(of: source)
        #expect(all.count == 60, sourceLocation: location)
        let part = try Tool.frames(of: path)
        #expect(
            part.map(\.digest) == all[range].map(\.digest), "\(part.count) frames",
            sourceLocation: location)
        func sample(_ frame: Int) -> Int {
            frame == 60 ? 96000 : Int((all[frame].time * 48000).rounded())
        }
        let sound = try samples(of: source)
        let expected = sound[
            sound.startIndex + sample(range.lowerBound) * 8..<sound.startIndex
                + sample(range.upperBound) * 8]
        #expect(try samples(of: path) == expected, sourceLocation: location)
    }

    @Test func `keys and pointer mark a part, which is saved to the frame and the sample`() throws {
        let source = try film(isLossless: true)
        let before = try Data(contentsOf: URL(filePath: source))
        let session = try start(source)
        try repeated("Right", 3, in: session)
        try session.waitForFrame("the first frame of the part") { $0 == 3 }
        try session.press("Tab")
        try session.waitForFrame("the last frame") { $0 == 59 }
        try repeated("Left", 6, in: session)
        try session.waitForFrame("the last frame of the part") { $0 == 53 }
        try session.press("Return")
        try check(try saved("film-trim.mkv"), isPart: 3..<54, of: source)

        // The pointer drags the start from frame 3 to frame 15; the grip stays under it.
        func x(_ frame: Int) -> Int {
            Int((Self.strip.x + Self.strip.width * Double(frame) / 60).rounded()) - 5
        }
        try session.movePointer(x(3), Self.strip.y)
        try session.display.xdotool("mousedown", "1")
        for frame in 4...15 { try session.movePointer(x(frame), Self.strip.y) }
        try session.waitForFrame("the frame under the handle") { $0 == 15 }
        try session.display.xdotool("mouseup", "1")
        try session.press("ctrl+z")
        try session.waitForFrame("the frame before the drag") { $0 == 3 }
        try session.press("ctrl+shift+z")
        try session.waitForFrame("the frame after the drag") { $0 == 15 }
        try session.press("Return")
        try check(try saved("film-trim-2.mkv"), isPart: 15..<54, of: source)
        #expect(try Data(contentsOf: URL(filePath: source)) == before)
        try session.quit()
    }

    @Test func `a part between keyframes is copied`() throws {
        let source = try film(isLossless: false)
        let session = try start(source)
        // The mark of the last keyframe, above the waveform.
        try eventually("the keyframes") {
            let image = try session.shot()
            return (380..<386).contains { image[$0, 563].x > 180 && image[$0, 563].z > 180 }
        }
        try repeated("Right", 13, in: session)
        try session.waitForFrame("the first frame of the part") { $0 == 13 }
        try session.press("Tab")
        try repeated("ctrl+Left", 2, in: session)
        try session.waitForFrame("the frame before a keyframe") { $0 == 39 }
        try repeated("Left", 3, in: session)
        try session.waitForFrame("the last frame of the part") { $0 == 36 }
        try session.press("shift+Return")
        let all = try Tool.frames(of: source)
        let part = try Tool.frames(of: try saved("film-trim.mp4"))
        #expect(part.map(\.digest) == all[10..<40].map(\.digest))
        try session.quit()
    }

    @Test func `quitting with unsaved marks asks once`() throws {
        let session = try start(try film(isLossless: true))
        try repeated("Right", 3, in: session)
        try session.waitForFrame("the first frame of the part") { $0 == 3 }
        try session.press("q")
        try eventually("a question") { try asks(session) }
        try session.press("Escape")
        try eventually("the end of the question") { try !asks(session) }
        try session.press("q")
        try eventually("a question again") { try asks(session) }
        #expect(!session.program.hasEnded)
        try session.quit()
        #expect(!FileManager.default.fileExists(atPath: folder.appending("film-trim.mkv").path))
    }

    @Test func `a signal while a part is being saved leaves no temporary file`() throws {
        let session = try start(try film(isLossless: true))
        try repeated("Right", 3, in: session)
        try session.waitForFrame("the first frame of the part") { $0 == 3 }
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        }
        try session.press("Return")
        try eventually("a file") { try names().contains { $0.hasPrefix("film-trim") } }
        session.program.signal(SIGTERM)
        #expect(session.program.wait(patience) == 0, "\(session.program.standardError)")
        let left = try names()
        #expect(left.allSatisfy { !$0.hasSuffix(".part") }, "\(left)")
    }

    @Test func `the source is replaced only after a confirmation`() throws {
        let source = try film(isLossless: true)
        let original = folder.appending("original.mkv").path
        try FileManager.default.copyItem(atPath: source, toPath: original)
        let session = try start(source)
        try repeated("Right", 20, in: session)
        try session.waitForFrame("the first frame of the part") { $0 == 20 }
        try session.press("ctrl+Return")
        try eventually("a question") { try asks(session) }
        #expect(FileManager.default.contentsEqual(atPath: source, andPath: original))
        try session.press("Return")
        try eventually("the replaced file") {
            !FileManager.default.contentsEqual(atPath: source, andPath: original)
        }
        try check(source, isPart: 20..<60, of: original)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
                == ["film.mkv", "original.mkv", "samples"])
        try session.quit()
    }

    @Test func `a source that changed is neither saved nor replaced, and the screen says so`()
        throws
    {
        let source = try film(isLossless: true)
        let session = try start(source)
        try repeated("Right", 3, in: session)
        try session.waitForFrame("the first frame of the part") { $0 == 3 }
        let handle = try FileHandle(forWritingTo: URL(filePath: source))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([0]))
        try handle.close()
        let changed = try Data(contentsOf: URL(filePath: source))
        try session.press("Return")
        try eventually("an error") { try showsFailure(session) }
        try session.press("ctrl+Return")
        try eventually("a question") { try asks(session) }
        try session.press("Return")
        try eventually("an error") { try showsFailure(session) }
        #expect(try Data(contentsOf: URL(filePath: source)) == changed)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["film.mkv"])
        try session.press("q")
        try eventually("a question") { try asks(session) }
        try session.quit()
    }

    // MARK: - Other files

    /// Opens two videos, and marks a part of the first one.
    private func startPair() throws -> (PlayerSession, first: String) {
        let first = try film(isLossless: true)
        let session = try start(first, try Films.silent(seconds: 1))
        try repeated("Right", 3, in: session)
        try session.waitForFrame("the first frame of the part") { $0 == 3 }
        return (session, first)
    }

    @Test func `another file with unsaved marks asks once`() throws {
        let (session, first) = try startPair()
        // No file precedes the first one.
        try session.pressForWords("less")
        #expect(try !asks(session))
        try session.press("greater")
        try eventually("a question") { try asks(session) }
        #expect(try session.title().contains("film.mkv"))
        try session.press("Escape")
        try eventually("the end of the question") { try !asks(session) }
        #expect(try session.frameNumber() == 3)

        // A dropped file asks too, and is opened if it is dropped again.
        let other = try Films.silent(seconds: 60)
        try session.drop(other)
        try eventually("a question") { try asks(session) }
        #expect(try session.frameNumber() == 3)
        try session.drop(other)
        // It plays.
        try eventually("the dropped file") { try !session.title().contains("film.mkv") }
        #expect(FileManager.default.fileExists(atPath: first))
        #expect(!FileManager.default.fileExists(atPath: folder.appending("film-trim.mkv").path))
        try session.quit()
    }

    @Test func `saving answers the question, and the other file is opened`() throws {
        let (session, first) = try startPair()
        try session.press("greater")
        try eventually("a question") { try asks(session) }
        try session.press("Return")
        try session.waitForFrame("the other file") { $0 == 0 }
        try check(try saved("film-trim.mkv"), isPart: 3..<60, of: first)
        #expect(try !session.title().contains("film.mkv"))
        try session.quit()
    }

    @Test func `a file that is trimmed stays open at its end, and then asks`() throws {
        let (session, first) = try startPair()
        try session.press("space")
        try session.waitForFrame("the last frame") { $0 == 59 }
        #expect(try session.standingFrame() == 59)
        #expect(try !asks(session))
        // Without the view, the next file would follow.
        try session.press("Escape")
        try eventually("a question") { try asks(session) }
        #expect(try session.frameNumber() == 59)
        try session.press("Return")
        try eventually("the next file") { try !session.title().contains("film.mkv") }
        try check(try saved("film-trim.mkv"), isPart: 3..<60, of: first)
        // The next file plays to its end, which ends the program.
        #expect(session.program.wait(patience) == 0, "\(session.program.standardError)")
    }

    @Test func `at the end of a folder's file the question can be refused, and Delete answers it`()
        throws
    {
        let path = try film(isLossless: true)
        let session = try PlayerSession("--browse", path, "--pause", "--no-config")
        try session.waitForFrame("the first frame") { $0 == 0 }
        try session.press("c")
        try eventually("the handles") { try hasHandle(session, at: Self.strip.x - 5) }
        try repeated("Right", 3, in: session)
        try session.waitForFrame("the first frame of the part") { $0 == 3 }
        let handle = Self.strip.x + Self.strip.width * 3 / 60 - 5
        try session.press("Escape")
        try eventually("the end of the view") { try !hasHandle(session, at: handle) }
        try session.press("space")
        try eventually("a question") { try asks(session) }
        #expect(try session.frameNumber() == 59)
        try session.press("Escape")
        try eventually("the end of the question") { try !asks(session) }
        try session.press("Escape")
        try eventually("the end of the view") { try !hasHandle(session, at: handle) }
        try throughout(.milliseconds(500), "no question") { try !asks(session) }
        #expect(try session.frameNumber() == 59)

        try session.press("Escape")
        try eventually("a question") { try asks(session) }
        try session.press("Delete")
        try eventually("the folder") {
            try session.title() == "\(folder.url.lastPathComponent) – Playhead"
        }
        #expect(!FileManager.default.fileExists(atPath: folder.appending("film-trim.mkv").path))
        try session.press("Escape")
        #expect(session.program.wait(patience) == 0, "\(session.program.standardError)")
    }

    // MARK: - Files that cannot be written

    /// Saves a part exactly, by copying, and over its source. Each time an error must be shown, and
    /// the folder must have the source only.
    private func checkRefusal(
        by script: String, _ source: String,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let before = try Data(contentsOf: URL(filePath: source))
        let starter = Mounting.program(script, folder.url.path)
        let session = try start(source, by: starter)
        // The folder as the program sees it.
        let seen = "/proc/\(session.program.identifier)/root\(folder.url.path)"
        func checkFiles() throws {
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: seen)
                    == [URL(filePath: source).lastPathComponent], sourceLocation: location)
            #expect(
                try Data(contentsOf: URL(filePath: seen + "/film.mkv")) == before,
                sourceLocation: location)
        }
        for keys in [["Return"], ["shift+Return"], ["ctrl+Return", "Return"]] {
            // Moving a handle clears the message.
            try session.press("Right")
            try eventually("no error") { try !showsFailure(session) }
            for (index, key) in keys.enumerated() {
                if index > 0 { try eventually("a question") { try asks(session) } }
                try session.press(key)
            }
            try eventually("an error after \(keys)") { try showsFailure(session) }
            try checkFiles()
        }
        // The marks are still there.
        try session.press("q")
        try eventually("a question") { try asks(session) }
        try session.quit()
    }

    @Test(.enabled(if: Mounting.isAllowed, "\(Mounting.absence)"))
    func `in a folder that may not be written nothing changes, and the screen says so`() throws {
        let source = try film(isLossless: true)
        try checkRefusal(
            by: #"mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 77"#, source)
    }

    @Test(.enabled(if: Mounting.isAllowed, "\(Mounting.absence)"))
    func `on a full disk nothing changes, and the screen says so`() throws {
        let source = try film(isLossless: true)
        let size = try FileManager.default.attributesOfItem(atPath: source)[.size] as? Int ?? 0
        // The source fits, and a part of it does not.
        let limit = (size + 32 << 10) / 4096 * 4096
        #expect(size > 64 << 10)
        try checkRefusal(
            by: """
                exec 3<"$1/film.mkv"
                mount -t tmpfs -o size=\(limit) none "$1" && cat <&3 >"$1/film.mkv" || exit 77
                exec 3<&-
                """, source)
    }
}
