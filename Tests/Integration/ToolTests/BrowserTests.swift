// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import Testing

/// A folder as a grid of thumbnails, with real keys and a real pointer.
///
/// In a window of 480 by 640 there are two cards in a row, of 208 by 157 pixels, of which the upper
/// 117 are the picture. The first one is at 24, 60, the second one at 248, 60, and the next row is
/// 173 pixels lower. Thumbnails are of the first keyframe at or before a tenth of the duration.
@Suite(
    .serialized, .enabled(if: XServer.isAvailable, XServer.absence),
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"), .timeLimit(.minutes(20)))
struct BrowserTests {
    private let folder = TemporaryFolder()
    private static let rowHeight = 173.0

    private var title: String { "\(folder.url.lastPathComponent) – Playhead" }

    /// Puts a film of some seconds into the folder, under a name.
    private func put(_ name: String, seconds: Int) throws {
        let url = folder.appending(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: try Films.silent(seconds: seconds), toPath: url.path)
    }

    private func start(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> PlayerSession {
        try PlayerSession(
            "--browse", arguments.first ?? folder.url.path, "--no-config",
            environment: environment)
    }

    /// Returns the number of the frame that a thumbnail shows; nil without one.
    ///
    /// - Parameter y: The upper edge of the row.
    private func thumbnail(_ session: PlayerSession, column: Int, y: Double = 60) throws -> Int? {
        try session.display.frameNumber(
            in: FrameNumberStrip.Area(
                x: 24 + 224 * Double(column), y: y, width: 208, height: 117))
    }

    private func wait(_ session: PlayerSession, forTitle title: String) throws {
        try eventually("the title \(title)") { try session.title().hasPrefix(title) }
    }

    /// Presses Escape in the grid, and checks that the program succeeds.
    private func quit(_ session: PlayerSession, status: Int32 = 0) throws {
        try session.press("Escape")
        let result = session.program.wait(patience)
        #expect(result == status, "\(session.program.standardError)")
    }

    @Test func `Enter plays a file with the folder as its playlist, and Escape returns`() throws {
        for (name, seconds) in [("a.mp4", 10), ("b.mp4", 20), ("c.mp4", 40)] {
            try put(name, seconds: seconds)
        }
        let session = try start()
        try wait(session, forTitle: title)
        try eventually("the first thumbnail") { try thumbnail(session, column: 0) == 30 }
        try eventually("the second one") { try thumbnail(session, column: 1) == 60 }
        try eventually("the third one") {
            try thumbnail(session, column: 0, y: 60 + Self.rowHeight) == 120
        }
        try session.press("Right", "Return")
        try wait(session, forTitle: "b.mp4 – 0:0")
        try session.waitForFrame("the video") { $0 > 2 }
        try session.press("less")
        try wait(session, forTitle: "a.mp4")
        try session.press("greater", "greater")
        try wait(session, forTitle: "c.mp4")
        try session.waitForFrame("the third video") { $0 > 2 }
        #expect(try session.size() == [PlayerSession.width, PlayerSession.height])

        try session.press("Escape")
        try wait(session, forTitle: title)
        try eventually("the grid again") { try thumbnail(session, column: 0) == 30 }
        // The file that played is selected.
        try session.press("Return")
        try wait(session, forTitle: "c.mp4")
        try session.press("Escape")
        try wait(session, forTitle: title)
        try quit(session)
    }

    @Test func `wheel, drag and keys scroll, and typed text finds a file`() throws {
        // Rows alternate between two films.
        try put("00.mp4", seconds: 10)
        try put("02.mp4", seconds: 20)
        for index in 0..<40 where index != 0 && index != 2 {
            let name = index < 10 ? "0\(index)" : "\(index)"
            try FileManager.default.linkItem(
                at: folder.appending(index / 2 % 2 == 0 ? "00.mp4" : "02.mp4"),
                to: folder.appending("\(name).mp4"))
        }
        let session = try start()
        try eventually("the first row") { try thumbnail(session, column: 1) == 30 }
        try session.movePointer(124, 400)
        try session.display.xdotool("click", "5")
        try eventually("the second row, higher") {
            try thumbnail(session, column: 1, y: 60 + Self.rowHeight - 100) == 60
        }
        try session.display.xdotool("click", "4")
        // A press ends a movement, and a frame number can be read before its end.
        try eventually("the first row at rest") {
            let image = try session.shot()
            return try thumbnail(session, column: 1) == 30 && image[252, 61].x > 128
                && image[252, 59].x < 64
        }

        try session.display.xdotool("mousedown", "1")
        for y in stride(from: 390, through: 300, by: -10) { try session.movePointer(124, y) }
        try eventually("the second row under the pointer") {
            try thumbnail(session, column: 1, y: 60 + Self.rowHeight - 100) == 60
        }
        try session.display.xdotool("mouseup", "1")

        try session.press("End", "Return")
        try wait(session, forTitle: "39.mp4")
        try session.press("Escape")
        try wait(session, forTitle: title)
        try session.press("Home", "Page_Down", "Return")
        try wait(session, forTitle: "06.mp4")
        try session.press("Escape")
        try wait(session, forTitle: title)
        try session.press("2", "7", "Return")
        try wait(session, forTitle: "27.mp4")
        try session.press("Escape")
        try wait(session, forTitle: title)
        // The filter is still there.
        try session.press("Escape")
        try throughout(.milliseconds(300), "the window") { !session.program.hasEnded }
        try quit(session)
    }

    @Test func `a double click plays`() throws {
        for name in ["a.mp4", "b.mp4"] { try put(name, seconds: 20) }
        let session = try start()
        try eventually("the second thumbnail") { try thumbnail(session, column: 1) == 60 }
        try session.movePointer(350, 120)
        // Two clicks within 0.4 s are a double click.
        for attempt in 1...3 {
            try session.display.xdotool("click", "--repeat", "2", "--delay", "60", "1")
            do {
                try eventually("the video", within: .seconds(60)) {
                    try session.title().hasPrefix("b.mp4")
                }
                break
            } catch  where attempt < 3 {}
        }
        try session.waitForFrame("the video") { $0 > 2 }
        try session.quit()
    }

    @Test func `a file that cannot be opened shows why, and the others play`() throws {
        try Data("this is not a video".utf8).write(to: folder.appending("a.mp4"))
        try put("b.mp4", seconds: 20)
        let session = try start()
        try eventually("the other thumbnail") { try thumbnail(session, column: 1) == 60 }
        try eventually("a reason") {
            let image = try session.shot()
            let count = (60..<177).reduce(0) { sum, y in
                sum
                    + (24..<232).count {
                        image[$0, y].x > 220 && (110..<190).contains(image[$0, y].y)
                    }
            }
            return count > 20
        }
        try session.press("Return")
        try throughout(.milliseconds(300), "the folder") { try session.title() == title }
        try session.press("Right", "Return")
        try session.waitForFrame("the other video") { $0 > 2 }
        try session.quit()
    }

    @Test func `subfolders are entered and left`() throws {
        try put("sub/a.mp4", seconds: 20)
        try put("b.mp4", seconds: 10)
        let session = try start()
        try eventually("the thumbnail of the file") { try thumbnail(session, column: 1) == 30 }
        try session.press("Return")
        try wait(session, forTitle: "sub – Playhead")
        try eventually("the thumbnail in it") { try thumbnail(session, column: 0) == 60 }
        try session.press("BackSpace")
        try wait(session, forTitle: title)
        try eventually("the thumbnail of the file again") {
            try thumbnail(session, column: 1) == 30
        }
        // The folder that was left is selected; the button in the header leaves a folder too.
        try session.press("Return")
        try wait(session, forTitle: "sub – Playhead")
        try session.movePointer(22, 22)
        try session.click()
        try wait(session, forTitle: title)
        try quit(session)
    }

    @Test func `an empty folder says so`() throws {
        let session = try start()
        try wait(session, forTitle: title)
        try eventually("a sentence in the middle") {
            let image = try session.shot()
            return (330..<370).contains { y in (60..<420).contains { image[$0, y].x > 150 } }
        }
        try quit(session)
    }

    @Test func `without a folder, the user's videos are shown`() throws {
        try put("My Films/a.mp4", seconds: 10)
        try FileManager.default.createDirectory(
            at: folder.appending("config"), withIntermediateDirectories: true)
        try Data("XDG_VIDEOS_DIR=\"$HOME/My Films\"\n".utf8).write(
            to: folder.appending("config/user-dirs.dirs"))
        let session = try PlayerSession(
            "--browse",
            environment: [
                "HOME": folder.url.path, "XDG_CONFIG_HOME": folder.appending("config").path,
            ])
        try wait(session, forTitle: "My Films – Playhead")
        try eventually("the thumbnail") { try thumbnail(session, column: 0) == 30 }
        try quit(session)
    }

    @Test func `after the last file, and from a file on the command line, the grid is shown`()
        throws
    {
        for name in ["a.mp4", "b.mp4"] { try put(name, seconds: 60) }
        let session = try start(folder.appending("a.mp4").path)
        try session.waitForFrame("the file on the command line") { $0 > 2 }
        try session.press("Escape")
        try wait(session, forTitle: title)
        try session.press("Right", "Return")
        try wait(session, forTitle: "b.mp4")
        // To the last frame, after which it ends.
        try session.press("Up")
        try wait(session, forTitle: title)
        try eventually("the grid") { try thumbnail(session, column: 0) == 180 }
        try quit(session)
    }

    @Test func `a file on the command line fits the window, and after its part comes the grid`()
        throws
    {
        try put("a.mp4", seconds: 60)
        let session = try PlayerSession(
            "--browse", folder.appending("a.mp4").path, "--duration", "3", "--no-config",
            hasSize: false)
        try eventually("the video's size") { try session.size() == [Films.width, Films.height] }
        try wait(session, forTitle: title)
        #expect(try session.size() == [Films.width, Films.height])
        try quit(session)
    }

    @Test func `Escape leaves full screen before the program ends`() throws {
        try put("a.mp4", seconds: 10)
        let session = try PlayerSession(
            "--browse", folder.url.path, "--fullscreen", "--no-config")
        try eventually("full screen") {
            try session.size() == [XServer.width, XServer.height]
        }
        try wait(session, forTitle: title)
        try session.press("Escape")
        try eventually("the window") {
            try session.size() == [PlayerSession.width, PlayerSession.height]
        }
        try session.display.xdotool("windowmove", session.window, "0", "0")
        try eventually("the thumbnail") { try thumbnail(session, column: 0) == 30 }
        // Without a window manager, the window may miss the release of the key while it changes,
        // and takes the next press for a repetition.
        try session.press("Escape")
        try quit(session)
    }

    @Test func `F7 shows the folder of each file, and its keys do not reach the views below`()
        throws
    {
        try put("one/a.mp4", seconds: 60)
        try put("two/b.mp4", seconds: 60)
        let session = try PlayerSession(
            folder.appending("one/a.mp4").path, folder.appending("two/b.mp4").path, "--no-config")
        try session.waitForFrame("the video") { $0 > 2 }
        try session.press("F7")
        try wait(session, forTitle: "one – Playhead")
        try session.press("F7")
        try wait(session, forTitle: "a.mp4")
        try session.press("greater")
        // The last frame of the first video is shown until the second one is ready.
        try eventually("the second video") {
            let title = try session.title()
            return title.hasPrefix("b.mp4 – 0:0") && !title.hasPrefix("b.mp4 – 0:00")
        }
        try session.press("c", "Right", "Right", "Right")
        try session.waitForFrame("the first frame of a part") { $0 == 3 }
        try session.press("F7")
        try wait(session, forTitle: "two – Playhead")
        // In the trim view, these would move a handle and show another frame.
        try session.press("ctrl+Right", "ctrl+z")
        try session.press("F7")
        try wait(session, forTitle: "b.mp4")
        try session.waitForFrame("the same frame") { $0 == 3 }
        try throughout(.milliseconds(300), "the same frame") { try session.frameNumber() == 3 }
        // The marks are not saved.
        try session.press("q")
        try session.quit()
    }

    @Test func `F7 shows the folder of a file, and goes back to it`() throws {
        try put("a.mp4", seconds: 60)
        let session = try PlayerSession(folder.appending("a.mp4").path, "--no-config")
        let frame = try session.waitForFrame("the video") { $0 > 2 }
        try session.press("F7")
        try wait(session, forTitle: title)
        try eventually("the thumbnail") { try thumbnail(session, column: 0) == 180 }
        try session.press("F7")
        try session.waitForFrame("the video to continue") { $0 > frame + 5 }
        // Outside of --browse, Escape only leaves full screen.
        try session.press("Escape")
        try session.waitForFrame("the video to continue") { $0 > frame + 20 }
        try session.quit()
    }
}
