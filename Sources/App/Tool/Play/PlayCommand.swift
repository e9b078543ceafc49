// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `playhead play [FILE ...]`: plays films in a window, or without one.
struct PlayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Plays films in a window, or without one.",
        discussion: """
            Without a file it plays the built-in clip, its green screen keyed out. A file that \
            cannot be played is told and passed over; the exit status then is 2.

            The keys are mpv's; --list-keys lists them, and ? shows them in the window. Files \
            dropped on the window play.

            EXAMPLES:
              playhead play film.mp4
              playhead play film.mp4 --start 1:00 --speed 1.5 --loop
              playhead play film.mp4 --effect chroma_key --set tolerance=0.3
              playhead play a.mp4 b.mp4 --transition wipe.glsl
              playhead play film.mp4 --headless --duration 10 --stats-json stats.json
              playhead play film.mp4 --headless --untimed --screenshot last.png
            """)

    @Argument(
        help: "Films: paths, URLs, folders, playlists, or - for standard input.",
        completion: .file())
    var files: [String] = []

    @OptionGroup(title: "Effects") var effects: EffectOptions

    @OptionGroup(title: "Transitions") var transition: TransitionOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Begin at this time, such as 12.5 or 1:02:03.", valueName: "time"),
        transform: TimeArgument.init(argument:))
    var start: TimeArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Play each film for this long.", valueName: "time"),
        transform: TimeArgument.init(argument:))
    var duration: TimeArgument?

    @Option(help: "End after this many frames have been shown.")
    var frames: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Rate of play: 1 is normal, 2 twice as fast, -1 backwards; up to 16 either way.",
            discussion: "Backwards, films begin at their end. Sound is heard from 0.25 to 4."))
    var speed: Double = 1

    @Flag(inversion: .prefixedNo, help: "Play the last film over and over, without a gap.")
    var loop = false

    @Flag(inversion: .prefixedNo, help: "Play the films over and over, one after another.")
    var loopPlaylist = false

    @Option(
        help: ArgumentHelp(
            "Play a part over and over, such as 1:00-1:30.", valueName: "A-B"),
        transform: PartArgument.init(argument:))
    var abLoop: PartArgument?

    @Flag(inversion: .prefixedNo, help: "Play the films in another order, each time anew.")
    var shuffle = false

    @Flag(
        inversion: .prefixedNo,
        help: "At the end, remember where the film in the window was, as the key Q does.")
    var savePosition = false

    @Flag(help: "Begin at the beginning, though the film was left elsewhere.")
    var noResume = false

    @OptionGroup(title: "Sound") var sound: SoundOptions

    @OptionGroup(title: "Subtitles") var subtitles: SubtitleOptions

    @OptionGroup(title: "Window") var window: WindowOptions

    @Option(
        help: ArgumentHelp(
            "Hardware that decodes: auto, none, vaapi or cuda.",
            discussion: "Where it is not there or fails, the processor decodes."))
    var hwaccel = HardwareAcceleration.none

    @Flag(help: "No window: draw in memory, in real time on a timed display.")
    var headless = false

    @Option(help: "Refresh rate of the timed display of --headless, in hertz.")
    var fps: Double = 60

    @Flag(help: "Show every frame, as fast as it goes, without sound.")
    var untimed = false

    @Option(
        help: ArgumentHelp(
            "What decides how fast a film goes: clock, or display.",
            discussion:
                "With display its rate changes by up to half a percent, so that frames stay "
                + "with the display's refreshes."))
    var sync = SyncArgument.clock

    @Option(
        help: ArgumentHelp(
            "How pictures get into textures: direct, ring or mapped.",
            discussion: "Without it, what turns out to be quickest: see 'playhead doctor'."))
    var upload: UploadArgument?

    @Option(help: "Write the last frame drawn as a PNG.", completion: .file())
    var screenshot: String?

    @Option(
        help: ArgumentHelp(
            "Write the numbers of the run as JSON.",
            discussion:
                "Those of all its films together, which `files` lists; - for standard output."),
        completion: .file())
    var statsJson: String?

    @Option(
        help: ArgumentHelp(
            "Write a line for each frame shown, with all its times, as CSV.",
            discussion: "In the last column is the place of its film among those of --stats-json."),
        completion: .file())
    var statsCsv: String?

    /// Options that fit no film without a window, or without its own time; and those that `--untimed`
    /// refuses beside them. Where such a one is in the user's file it is passed over.
    static let windowOptions: Set = [
        "idle", "pause", "ab-loop", "ipc", "monitor", "output-monitor", "fullscreen",
        "save-position",
    ]
    static let timedOptions: Set = ["loop", "loop-playlist", "transition"]

    /// Whether somebody wants to know how long the GPU takes.
    var measuresGPU: Bool { statsJson != nil || statsCsv != nil }

    func validate() throws {
        guard speed != 0, abs(speed) <= 16 else {
            throw ValidationError("--speed \(speed): use a rate up to 16, or down to -16, but 0")
        }
        if speed < 0, duration != nil, start == nil {
            throw ValidationError("--duration: backwards it needs --start")
        }
        guard fps >= 1, fps <= 1000 else {
            throw ValidationError("--fps \(fps): use a rate from 1 to 1000")
        }
        if window.idle, headless || untimed {
            throw ValidationError("--idle: nothing can be dropped on what has no window")
        }
        if window.pause, headless || untimed {
            throw ValidationError("--pause: nobody can let go on what has no window")
        }
        if abLoop != nil, headless || untimed {
            throw ValidationError(
                "--ab-loop: it is for films in a window; use --start and --duration")
        }
        let ofWindows = [
            ("--ipc", window.ipc != nil), ("--monitor", window.monitor != nil),
            ("--output-monitor", window.outputMonitor != nil),
            ("--fullscreen", window.fullscreen), ("--save-position", savePosition),
        ]
        if headless || untimed, let (name, _) = ofWindows.first(where: \.1) {
            throw ValidationError(
                "\(name): it is for films in a window; leave out it or "
                    + (headless ? "--headless" : "--untimed"))
        }
        if let frames, frames < 1 {
            throw ValidationError("--frames \(frames): use a number from 1 on")
        }
        if transition.name != nil, untimed {
            throw ValidationError(
                "--transition: --untimed plays films one by one; leave one of them out")
        }
        if abLoop != nil, duration != nil {
            throw ValidationError(
                "--duration: --ab-loop plays its part over and over; leave one of them out")
        }
        if loop || loopPlaylist, untimed {
            throw ValidationError(
                "\(loop ? "--loop" : "--loop-playlist"): --untimed plays films once; leave one of "
                    + "them out")
        }
    }

    func run() throws {
        if window.listKeys || window.listCommands {
            printLists()
            return
        }
        // Films play all day. What is rendered ends, and takes a twentieth longer for it.
        ProcessHeap.returnMemoryWhenFreed()
        try MainActor.assumeIsolated { try play() }
    }

    private func printLists() {
        if window.listKeys {
            var bindings = KeyBindings.standard
            if !window.noConfig {
                for remark in bindings.readUserFile() { Console.note(remark) }
            }
            for line in KeyList.lines(of: bindings) { Console.print(line) }
        }
        if window.listCommands {
            for line in CommandList.commands + CommandList.properties { Console.print(line) }
        }
    }

    @MainActor private func play() throws {
        // Read when the renderer is made.
        if let upload { setenv(PictureUpload.variable, upload.upload.rawValue, 1) }
        UploadMemory.load()
        defer { UploadMemory.save() }
        let settings = try PlaySettings(self)
        let inputs = settings.files + subtitles.files
        try OutputFile.checkPicture(screenshot, inputs: inputs)
        try OutputFile.check(statsJson, isReplaced: true, inputs: inputs)
        try OutputFile.check(statsCsv, isReplaced: true, inputs: inputs)
        if untimed {
            try UntimedPlayback(settings).run()
        } else if headless {
            try HeadlessPlayback(settings).run()
        } else {
            try WindowPlayback(settings).run()
        }
    }
}
