// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options of `play` that are about its window, and about what controls it.
struct WindowOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Open a window without a film, too, and keep it when films have ended: for drops.")
    var idle = false

    @Flag(inversion: .prefixedNo, help: "Begin paused, on the first picture.")
    var pause = false

    @Option(
        help: ArgumentHelp(
            "Size of the window or, with --headless, of the picture.",
            valueName: "WxH"),
        transform: SizeArgument.init(argument:))
    var size: SizeArgument?

    @Flag(
        inversion: .prefixedNo,
        help: "Open windows as much larger as the desktop scales what is in them.")
    var hidpiWindowScale = true

    @Flag(inversion: .prefixedNo, help: "Fill the screen.")
    var fullscreen = false

    @Option(help: "Monitor for --fullscreen, counted from 0.")
    var monitor: Int?

    @Option(
        help: "Show the film alone on this monitor, too, counted from 0; the controls stay behind.")
    var outputMonitor: Int?

    @Flag(
        inversion: .prefixedNo,
        help: "Wait with each frame for the display's refresh, where the driver can.")
    var vsync = false

    @Option(
        help: ArgumentHelp(
            "Refreshes of the display a second, where it tells wrong ones.",
            valueName: "hertz"))
    var displayFps: Double?

    @Option(
        help: ArgumentHelp(
            "How the key s names screenshots: playhead-%n without it.",
            discussion: """
                As in mpv: %n a number, %f %F the film's file with and without its ending, %x its \
                folder, %p %P and %wH %wM %wS %wT where the film is, %tY %tm %td and so on the date, \
                %{property:else} what a property says.
                """, valueName: "name"),
        transform: ScreenshotTemplateArgument.init(argument:))
    var screenshotTemplate: ScreenshotTemplateArgument?

    @Option(
        help: ArgumentHelp(
            "Where they go: the folder of the program's start without it.", valueName: "folder"),
        completion: .directory)
    var screenshotDirectory: String?

    @Option(
        help: ArgumentHelp(
            "Make a socket by which other programs control the window.",
            discussion: "In the words of mpv's JSON IPC.", valueName: "path"),
        completion: .file())
    var ipc: String?

    @Flag(help: "Do not read the files config and keys.conf.")
    var noConfig = false

    @Flag(help: "List the keys of the window, and what they do, those of keys.conf included.")
    var listKeys = false

    @Flag(help: "List the commands and properties of keys.conf and --ipc.")
    var listCommands = false

    func validate() throws {
        if let displayFps, !(1...1000).contains(displayFps) {
            throw ValidationError("--display-fps \(displayFps): use a rate from 1 to 1000")
        }
    }
}
