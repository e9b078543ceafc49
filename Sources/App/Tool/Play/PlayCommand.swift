// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `playhead play [FILE ...]`: plays media in a window, or without one.
struct PlayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Play media in a window, or without one.",
        discussion: """
            Without a file, plays the built-in clip with its green screen keyed out. Files that \
            cannot be played are reported and skipped; the exit status is then 2.

            Keys are those of mpv: --list-keys lists them, and ? shows them in the window. Drop \
            files on the window to play them.

            --browse shows a directory as a grid of thumbnails. Arrow keys, the wheel and typed \
            text find a file, Enter or a double click plays it with the directory as the \
            playlist, and Escape returns.

            camera:0 is the first camera; 'playhead devices' lists them. Settings follow a \
            question mark: camera:0?size=1280x720&rate=30&format=mjpeg, and controls of the \
            camera by name. Its window has the keys q (quit), f (full screen), m (mirror), s \
            (screenshot) and p (pause the recording). To open a file with such a name, write \
            ./camera:0.

            screen:0 is the primary screen, screen:0+X,Y,WxH a part of it, and window:TITLE a \
            window of another program, on X11. The settings are rate=N and cursor=0.

            microphone:0 is the default microphone; 'playhead devices' lists them. The window \
            shows the levels, and no audio is played. The key m mutes the recording. With a \
            camera and a microphone, --record records both.

            EXAMPLES:
              playhead play film.mp4
              playhead play film.mp4 --start 1:00 --speed 1.5 --loop
              playhead play film.mp4 --effect chroma_key --set tolerance=0.3
              playhead play a.mp4 b.mp4 --transition wipe.glsl
              playhead play --browse Films
              playhead play camera:0 microphone:0 --mirror --record out.mkv
              playhead play film.mp4 --headless --duration 10 --stats-json stats.json
              playhead play film.mp4 --headless --untimed --screenshot last.png
            """)

    @OptionGroup var options: PlayOptions

    func run() throws {
        if options.window.listKeys || options.window.listCommands {
            printLists()
            return
        }
        // This is for `play` only, which can run all day. `render` ends sooner, and would become 5
        // % slower.
        ProcessHeap.returnMemoryWhenFreed()
        try MainActor.assumeIsolated { try play() }
    }

    private func printLists() {
        if options.window.listKeys {
            var bindings = KeyBindings.standard
            if !options.window.noConfig {
                for remark in bindings.readUserFile() { Console.note(remark) }
            }
            for line in KeyList.lines(of: bindings) { Console.print(line) }
        }
        if options.window.listCommands {
            for line in CommandList.commands + CommandList.properties { Console.print(line) }
        }
    }

    @MainActor private func play() throws {
        if options.files.contains(where: LiveVideoArgument.isOne) {
            return try CameraPlayback(options).run()
        }
        if options.files.contains(where: MicrophoneArgument.isMicrophone) {
            return try MicrophonePlayback(options).run()
        }
        // The renderer reads the variable when it is created.
        if let upload = options.upload { setenv(PictureUpload.variable, upload.upload.rawValue, 1) }
        UploadChoiceCache.load()
        defer { UploadChoiceCache.save() }
        let settings = try PlaySettings(options)
        let inputs = settings.files + options.subtitles.files
        try OutputFile.checkPicture(options.screenshot, inputs: inputs)
        try OutputFile.check(options.statsJson, isReplaced: true, inputs: inputs)
        try OutputFile.check(options.statsCsv, isReplaced: true, inputs: inputs)
        if options.untimed {
            try UntimedPlayback(settings).run()
        } else if options.headless {
            try HeadlessPlayback(settings).run()
        } else {
            try WindowPlayback(settings).run()
        }
    }
}
