// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// The options of the window, its keys and its control socket.
struct WindowOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Open a window even without a file, and keep it open after the last one.")
    var idle = false

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Show a directory as a grid of thumbnails: the one that is named, or the videos.",
            discussion:
                "Files, or several directories, play first; the grid then shows the directory of "
                + "the first."))
    var browse = false

    @Flag(inversion: .prefixedNo, help: "Start paused on the first frame.")
    var pause = false

    @Option(
        help: ArgumentHelp(
            "Size of the window, or of the frame with --headless.",
            valueName: "WxH"),
        transform: SizeArgument.init(argument:))
    var size: SizeArgument?

    @Flag(
        inversion: .prefixedNo,
        help: "Scale the initial window size by the desktop's scale factor.")
    var hidpiWindowScale = true

    @Option(
        help: ArgumentHelp(
            "Window system, if the session has both: auto, x11 or wayland.", valueName: "name"))
    var windowSystem = WindowSystemChoice.automatic

    @Flag(inversion: .prefixedNo, help: "Start in full screen.")
    var fullscreen = false

    @Option(help: "Monitor for full screen, counted from 0.")
    var monitor: Int?

    @Option(
        help: "Also show the video without controls on this monitor, counted from 0.")
    var outputMonitor: Int?

    @Flag(
        inversion: .prefixedNo,
        help: "Enable vsync, if the driver supports it.")
    var vsync = false

    @Option(
        help: ArgumentHelp(
            "Refresh rate of the display, if the one it reports is wrong.",
            valueName: "hertz"))
    var displayFps: Double?

    @Option(
        help: ArgumentHelp(
            "File name template of screenshots; playhead-%n by default.",
            discussion: """
                As in mpv: %n is a number, %f and %F the file name with and without extension, %x \
                its directory, %p, %P, %wH, %wM, %wS and %wT the position, %tY, %tm, %td and so on \
                the date, %{property:fallback} a property.
                """, valueName: "name"),
        transform: ScreenshotTemplateArgument.init(argument:))
    var screenshotTemplate: ScreenshotTemplateArgument?

    @Option(
        help: ArgumentHelp(
            "Directory for screenshots; the working directory by default.", valueName: "folder"),
        completion: .directory)
    var screenshotDirectory: String?

    @Option(
        help: ArgumentHelp(
            "Create a Unix socket through which other programs control the player.",
            discussion: "It speaks mpv's JSON IPC.", valueName: "path"),
        completion: .file())
    var ipc: String?

    @Flag(help: "Do not read config and keys.conf.")
    var noConfig = false

    @Flag(help: "List the key bindings, including those of keys.conf.")
    var listKeys = false

    @Flag(help: "List the commands and properties for keys.conf and --ipc.")
    var listCommands = false

    func validate() throws {
        if let displayFps, !(1...1000).contains(displayFps) {
            throw ValidationError("--display-fps \(displayFps): expected a rate from 1 to 1000")
        }
    }
}
