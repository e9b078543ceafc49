// SPDX-License-Identifier: Apache-2.0

import Testing

/// Real windows on a virtual X server, in a process of their own.
@Suite(
    .serialized, .enabled(if: VirtualDisplay.isAvailable, VirtualDisplay.reason),
    .timeLimit(.minutes(1)))
struct WindowTests {
    @Test("a window opens, and OpenGL clears it on the render thread")
    func clears() throws {
        let display = try VirtualDisplay()
        let host = try Host("clear", on: display)
        let values = ["version", "pixel", "framebuffer"].map { host.next($0) }
        #expect(values[0]?.hasPrefix("3.3") == true || values[0]?.hasPrefix("4.") == true)
        #expect(values[1] == "51,102,153,255")
        #expect(values[2] == "320x240")
        host.proceed()
        #expect(host.exitStatus() == 0)
    }

    @Test("a display link follows the X server's 60 Hz, and says so")
    func ticks() throws {
        let display = try VirtualDisplay()
        let values = try Host("ticks", "180", on: display).values()
        print("display link under Xvfb:", values.sorted { $0.key < $1.key })
        #expect(values["source"] == "x-present")
        let rate = try #require(values["rate"].flatMap(Double.init))
        #expect(abs(rate / 60 - 1) < 0.001)
        #expect(values["monotonic"] == "true")
    }

    @Test("keys, buttons, the wheel and resizing reach the handler")
    func events() throws {
        let display = try VirtualDisplay()
        let host = try Host("events", on: display)
        _ = host.next("ready")
        try display.xdotool("mousemove", "--sync", "100", "80")
        #expect(host.next("moved") == "100,80")
        try display.xdotool("key", "a")
        #expect(host.next("key") == "65 a 0")
        #expect(host.next("text") == "a")
        try display.xdotool("key", "shift+bracketleft")
        // The shift key itself comes first.
        #expect(host.next("key")?.hasPrefix("340") == true)
        #expect(host.next("key") == "91 [ 1")
        try display.xdotool("click", "--repeat", "2", "--delay", "30", "1")
        #expect(host.next("button") == "left 1")
        #expect(host.next("button") == "left 2")
        try display.xdotool("click", "4")
        #expect(host.next("scroll") == "1.0")
        try display.xdotool("key", "r")
        #expect(host.next("framebuffer") == "400x300")
        try display.xdotool("key", "q")
        #expect(host.next("published") == "400x300")
        #expect(host.exitStatus() == 0)
    }

    @Test("fullscreen covers the monitor, and leaves to where the window was")
    func fullscreen() throws {
        let display = try VirtualDisplay()
        let values = try Host("fullscreen", on: display).values()
        #expect(values["before"] == "320x240")
        #expect(values["during"] == "1280x720 true")
        #expect(values["after"] == "320x240 false")
    }

    @Test("main-actor tasks and main-queue blocks run while the loop waits for events")
    func tasks() throws {
        let display = try VirtualDisplay()
        let values = try Host("tasks", on: display).values()
        #expect(values["task"] == "main actor")
        #expect(values["hops"] == "100")
        #expect(values["block"] == "main queue")
    }

    @Test("an idle window with a paused link takes next to no processor time")
    func idle() throws {
        let display = try VirtualDisplay()
        let values = try Host("idle", on: display).values()
        print("processor time of two idle seconds, ms:", values["cpu_ms"] ?? "none")
        let milliseconds = try #require(values["cpu_ms"].flatMap(Double.init))
        #expect(milliseconds < 40)
    }

    @Test("a server without GLX is told apart from no server")
    func noOpenGL() throws {
        let display = try VirtualDisplay(extensions: ["-extension", "GLX"])
        let host = try Host("clear", on: display)
        #expect(host.next("error")?.hasPrefix("no OpenGL 3.3 on this display: GLX") == true)
        #expect(host.exitStatus() == 4)
    }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct WithoutDisplayTests {
    @Test("without a display, opening a window fails and says what to do")
    func noDisplay() throws {
        let host = try Host("clear", on: nil)
        let error = host.next("error")
        #expect(error?.hasPrefix("no display: X11: ") == true)
        #expect(error?.contains("set DISPLAY") == true)
        #expect(host.exitStatus() == 3)
    }

    @Test("the main loop serves the main actor without a window, too")
    func tasksWithoutWindow() throws {
        let values = try Host("tasks-without-window", on: nil).values()
        #expect(values["hops"] == "100")
        #expect(values["block"] == "main queue")
    }
}
