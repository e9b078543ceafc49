// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// Each demo in a window does what its keys and its pointer are for.
@Suite(
    "Demos in windows", .serialized,
    .enabled(if: DemoWindow.isAvailable, "needs Xvfb and xdotool (apt install xvfb xdotool)"))
struct DemoWindowTests {
    /// What is done to a demo, and what its title has to say then.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var events: [String]
        var title: String

        var testDescription: String { name }
    }

    static let cases = [
        // A tap, and the computer's solution once it is found.
        Case(
            name: "AtlasPuzzle", events: ["mousemove", "120", "120", "click", "1"],
            title: "0 moves, keyed"),
        Case(
            name: "AtlasPuzzle", events: ["mousemove", "120", "120", "key", "s"], title: "to go"),
        // A quarter of the way across is two octaves and a bit above the lowest frequency.
        Case(name: "BandPass", events: ["mousemove", "236", "270"], title: "180 Hz, 1.2 octaves"),
        Case(
            name: "HelloVideo", events: ["mousemove", "400", "300", "key", "space"],
            title: "(paused)"),
        // The screen, which is green everywhere; then the view.
        Case(
            name: "ChromaKeyStudio", events: ["mousemove", "420", "140", "click", "1"],
            title: "picked"),
        Case(
            name: "ChromaKeyStudio", events: ["mousemove", "420", "140", "key", "m"],
            title: "matte"),
        // The green handle, turned by 30 degrees round the wheel.
        Case(
            name: "HueCurve",
            events: [
                "mousemove", "784", "197", "mousedown", "1", "sleep", "2", "mousemove", "761",
                "251", "mouseup", "1",
            ], title: "green +30°"),
        Case(
            name: "Loupe",
            events: [
                "mousemove", "300", "200", "mousedown", "1", "mousemove", "420", "260", "mouseup",
                "1",
            ], title: "420, 260, 400 %"),
        Case(
            name: "Loupe", events: ["mousemove", "300", "200", "click", "4"], title: "500 %"),
        Case(
            name: "MovieLibrary", events: ["mousemove", "400", "300", "key", "Down"],
            title: "Test pattern, 60"),
        Case(
            name: "OwnSound", events: ["mousemove", "400", "300", "key", "Up"],
            title: "10 ms late"),
        // Half of the second slider, let go beside it.
        Case(
            name: "PullLoop",
            events: [
                "mousemove", "860", "507", "mousedown", "1", "mousemove", "605", "520", "mouseup",
                "1",
            ], title: "chroma 0.50"),
        Case(
            name: "SpinningCube", events: ["mousemove", "400", "300", "key", "space"],
            title: "(paused)"),
        // The wheel over the row of rate 2.
        Case(
            name: "Timebases", events: ["mousemove", "400", "290", "click", "4"],
            title: "1, 2.25, 0, −1, 0.5"),
        Case(
            name: "VideoWall", events: ["mousemove", "700", "300", "click", "1"],
            title: "Channel 7"),
    ]

    @Test("heed keys and pointer, and end well", arguments: cases)
    func heedEvents(_ demo: Case) throws {
        let window = try DemoWindow(demo.name)
        try window.send(demo.events)
        try window.expect(title: demo.title)
        let status = try window.quit()
        #expect(status == 0, "\(window.words)")
    }
}
