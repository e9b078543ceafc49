// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import Testing

/// Each demo in a window responds to its keys and to the pointer, and shows the result.
///
/// An image is that of the window on the screen of an X server, reduced to a third. Videos are
/// paused at a frame selected by keys, and animations have ended. Text is left out, since it
/// depends on the fonts of a machine; titles are checked instead.
@Suite(
    "Demo windows", .serialized,
    .enabled(if: XServer.isAvailable, "needs Xvfb and xdotool (apt install xvfb xdotool)"))
struct DemoWindowTests {
    /// The events for a demo, and the expected result.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var arguments: [String] = ["--wordless"]
        var acts: [Act]
        var picture: String
        var hidden: [Area] = []

        var testDescription: String { picture }
    }

    /// Events, and a text that the title must contain after them.
    struct Act: Sendable {
        var events: [String]
        var title: String

        init(_ events: String, title: String) {
            self.events = events.split(separator: " ").map { String($0) }
            self.title = title
        }

        /// Pauses a video and seeks to a whole second.
        ///
        /// - Parameter place: the position of the pointer, where it has no effect.
        static func hold(at seconds: Int, place: String, key: String = "space") -> [Act] {
            let steps = String(repeating: " key Right", count: seconds)
            return [
                Act("mousemove \(place) key \(key)", title: "(paused)"),
                Act("key Home\(steps)", title: "(paused at 0:0\(seconds).000)"),
            ]
        }
    }

    /// A part of a window.
    struct Area: Sendable {
        var x: Range<Int>
        var y: Range<Int>
    }

    static let cases = [
        // An arrow key moves a tile, the pointer another one, and a tap removes the green.
        Case(
            name: "AtlasPuzzle", arguments: ["--wordless", "--seed", "8"],
            acts: [
                Act("mousemove 700 500 key p", title: "(paused)"),
                Act("key Home", title: "(paused at 0:00.000)"),
                Act("key Up", title: "1 move"),
                Act(
                    "mousemove 245 389 mousedown 1 mousemove 300 392 mousemove 380 395 mouseup 1",
                    title: "2 moves"),
                Act("mousemove 120 120 click 1", title: "2 moves, keyed"),
            ], picture: "window-AtlasPuzzle"),
        // A quarter of the width is slightly more than two octaves above the lowest frequency.
        // Meters and spectrum show the audio that is playing, which is silent while the video is
        // paused.
        Case(
            name: "BandPass",
            acts: Act.hold(at: 2, place: "236 270") + [
                Act("mousemove 236 271", title: "180 Hz, 1.2 octaves")
            ], picture: "window-BandPass"),
        // The screen, which is green everywhere; then a pixel that is neither transparent nor
        // opaque.
        Case(
            name: "ChromaKeyStudio",
            acts: Act.hold(at: 5, place: "120 630") + [
                Act("mousemove 420 140 click 1", title: "picked"),
                Act(
                    "mousemove 1259 340 mousedown 1 mousemove 1000 340 mouseup 1",
                    title: "picked"),
                Act("key b", title: "day"),
            ], picture: "window-ChromaKeyStudio"),
        Case(
            name: "ChromaKeyStudio",
            acts: Act.hold(at: 5, place: "120 630") + [
                Act("mousemove 420 140 click 1", title: "picked"), Act("key m", title: "matte"),
            ], picture: "window-ChromaKeyStudio-matte"),
        // The green handle, rotated by 30 degrees around the wheel, and made lighter.
        Case(
            name: "HueCurve",
            acts: Act.hold(at: 2, place: "300 20") + [
                Act(
                    "mousemove 784 197 mousedown 1 mousemove 761 251 mouseup 1",
                    title: "green +30°"),
                Act(
                    "mousemove 971 326 click 5 click 5 click 5", title: "magenta +0°, 100 %, -0.09"),
            ], picture: "window-HueCurve"),
        // Dragged from the middle of the video to its first half.
        Case(
            name: "HelloVideo", arguments: [],
            acts: [
                Act("mousemove 480 200 key space", title: "(paused)"),
                Act("key Home", title: "0:00 / 0:10 (paused)"),
                Act("key Right", title: "0:05 / 0:10 (paused)"),
            ], picture: "window-HelloVideo"),
        // The glass is dragged, and magnifies more.
        Case(
            name: "Loupe",
            acts: Act.hold(at: 5, place: "300 200") + [
                Act(
                    "mousemove 300 200 mousedown 1 mousemove 340 262 mouseup 1",
                    title: "340, 262, 400 %"), Act("click 5", title: "320 %"),
            ], picture: "window-Loupe"),
        // The third video, with an effect.
        Case(
            name: "MovieLibrary",
            acts: [
                Act("mousemove 400 20 key Down", title: "Test pattern, 60"),
                Act("mousemove 200 280 click 1", title: "Test pattern, film rate"),
            ] + Act.hold(at: 8, place: "200 20") + [
                Act("key 4", title: "film rate")
            ], picture: "window-MovieLibrary"),
        // The offset between video and audio is measured in real time, so the chart is hidden.
        Case(
            name: "OwnSound",
            acts: [
                Act("mousemove 400 300 key Up key Up key Up", title: "30 ms late, measured 30 ms"),
                Act("key space", title: "(stopped)"),
            ], picture: "window-OwnSound", hidden: [Area(x: 360..<940, y: 430..<530)]),
        // Half of the second slider, released beside it.
        Case(
            name: "PullLoop",
            acts: Act.hold(at: 5, place: "480 200") + [
                Act(
                    "mousemove 860 507 mousedown 1 mousemove 605 520 mouseup 1",
                    title: "Chroma 0.50")
            ], picture: "window-PullLoop"),
        // Held, moved to its start, and rotated with the pointer.
        Case(
            name: "SpinningCube", arguments: ["--wordless"],
            acts: Act.hold(at: 2, place: "400 300") + [
                Act("mousedown 1 mousemove 460 270 mouseup 1", title: "(paused at 0:02.000)"),
                Act("click 4", title: "(paused at 0:02.000)"),
            ], picture: "window-SpinningCube"),
        // Everything is held, and the wheel is turned over the row of rate 2, which does not affect
        // the clock.
        Case(
            name: "Timebases",
            acts: [
                Act("mousemove 400 290 key space", title: "(held"),
                Act("key Home", title: "held at 0:00.000"),
                Act("click 4", title: "1, 2.25, 0, −1, 0.5"),
                Act("key Right key Right", title: "held at 0:02.000"),
            ], picture: "window-Timebases"),
        Case(
            name: "VideoWall",
            acts: [
                Act("mousemove 700 300 key space", title: "(paused)"),
                Act("key Home key Right", title: "(paused at 0:05.000)"),
            ], picture: "window-VideoWall"),
        Case(
            name: "VideoWall",
            acts: [
                Act("mousemove 700 300 key space", title: "(paused)"),
                Act("key Home key Right key Right", title: "(paused at 0:10.000)"),
                Act("click 1", title: "Channel 7"),
            ], picture: "window-VideoWall-one"),
    ]

    @Test(arguments: cases)
    func `each demo reacts to keys and the pointer, and exits without an error`(_ demo: Case) throws
    {
        let window = try DemoWindow(demo.name, demo.arguments)
        for act in demo.acts {
            try window.send(act.events)
            try window.expect(title: act.title)
        }
        try window.expect(
            picture: GoldenImage(demo.picture), hiding: demo.hidden.map { ($0.x, $0.y) })
        let status = try window.quit()
        #expect(status == 0, "\(window.words)")
    }

    /// Excludes those whose state keeps changing in the window: HelloVideo, and MovieLibrary in its
    /// list.
    @Test(arguments: [
        "BandPass", "ChromaKeyStudio", "Compositor", "EmbeddingHost", "HueCurve", "Loupe",
        "OwnSound", "PullLoop", "Slideshow", "SpinningCube", "Timebases", "Titles", "VideoWall",
    ])
    func `a demo that cannot play its video exits with one line`(_ name: String) throws {
        let server = try XServer()
        let result = try ProcessRunner.run(
            [Demos.path(of: name), "/nonexistent.mp4"],
            environment: Demos.environment.merging(["DISPLAY": server.name]) { $1 },
            directory: Checkout.root)
        #expect(result.status == 2, "\(result.standardError)")
        let lines = result.standardError.split(separator: "\n")
        #expect(lines.count == 1, "\(result.standardError)")
        #expect(lines.first?.contains("/nonexistent.mp4") == true, "\(result.standardError)")
    }

    @Test(arguments: ["HelloVideo", "Loupe", "PullLoop", "SpinningCube"])
    func `a demo without a display exits with one line`(_ name: String) throws {
        let result = try ProcessRunner.run(
            [Demos.path(of: name), "Media/greenscreen.mp4"], environment: Demos.environment,
            directory: Checkout.root)
        #expect(result.status == 3, "\(result.standardError)")
        let lines = result.standardError.split(separator: "\n")
        #expect(lines.count == 1, "\(result.standardError)")
        #expect(lines.first?.contains("display") == true, "\(result.standardError)")
    }

    /// A case that differs in each run: a solution that is searched and played.
    @Test func `AtlasPuzzle plays the computer's solution`() throws {
        let window = try DemoWindow("AtlasPuzzle", ["--seed", "8"])
        try window.send(["mousemove", "120", "120", "key", "Up", "key", "Down", "key", "s"])
        try window.expect(title: "to go")
        // Any key stops it, in addition to its usual action.
        try window.send(["key", "space"])
        try window.expect(title: "moves, keyed")
        try window.send(["key", "space", "key", "s"])
        try window.expect(title: "to go")
        try window.send(["key", "s", "key", "space"])
        try window.expect(title: "moves, keyed")
        #expect(try window.quit() == 0, "\(window.words)")
    }
}
