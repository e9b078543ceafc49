// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// The arguments and options of `play`.
struct PlayOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Paths, URLs, directories, playlists, patterns (frame-%04d.png), camera:0, "
                + "screen:0, window:TITLE, microphone:0, or - for stdin."),
        completion: .file())
    var files: [String] = []

    @OptionGroup(title: "Effects") var effects: EffectOptions

    @OptionGroup(title: "Transitions") var transition: TransitionOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Start at this time: 12.5, 1:02:03, -10 from the end, or 50%.", valueName: "time"),
        transform: StartArgument.init(argument:))
    var start: StartArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Play this much of each file.", valueName: "time"),
        transform: TimeArgument.init(argument:))
    var duration: TimeArgument?

    @Option(help: "Quit after this many frames.")
    var frames: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Playback speed, from -16 to 16: 2 is twice as fast, -1 is backwards.",
            discussion: "Backwards, files start at their end. "
                + "Audio plays from 0.25 to 4 and from -4 to -0.25."))
    var speed: Double = 1

    @Flag(inversion: .prefixedNo, help: "Loop the last file, without a gap.")
    var loop = false

    @Flag(inversion: .prefixedNo, help: "Loop the playlist.")
    var loopPlaylist = false

    @Option(
        help: ArgumentHelp(
            "Loop the range from A to B, such as 1:00-1:30.", valueName: "A-B"),
        transform: PartArgument.init(argument:))
    var abLoop: PartArgument?

    @Flag(inversion: .prefixedNo, help: "Shuffle the playlist.")
    var shuffle = false

    @Flag(
        inversion: .prefixedNo,
        help: "Remember the position on exit, as the key Q does.")
    var savePosition = false

    @Flag(help: "Start at the beginning even if a position was saved.")
    var noResume = false

    @Option(
        help: ArgumentHelp(
            "Play live streams and network cameras this far behind the present, in seconds.",
            discussion: "A number of seconds from 0 to 86400; newest or 0, with which the newest "
                + "frame is shown as soon as it is decoded; or smooth, the default, the distance "
                + "that makes stalls unlikely.", valueName: "seconds"))
    var liveOffset: LatencyArgument?

    @OptionGroup(title: "Audio") var sound: AudioOptions

    @OptionGroup(title: "Subtitles") var subtitles: SubtitleOptions

    @OptionGroup(title: "Network") var network: NetworkOptions

    @OptionGroup(title: "Timelines") var timelines: TimelineInputOptions

    @OptionGroup(title: "Cameras") var capture: CaptureOptions

    @OptionGroup(title: "Window") var window: WindowOptions

    @Option(
        help: ArgumentHelp(
            "Hardware decoder: auto, none, vaapi or cuda.",
            discussion: "If it is missing or fails, decoding falls back to software."))
    var hwaccel = HardwareAcceleration.none

    @Flag(help: "Play in real time without a window.")
    var headless = false

    @Option(help: "Refresh rate of the simulated display of --headless, in hertz.")
    var fps: Double = 60

    @Flag(help: "Play every frame as fast as possible, without audio.")
    var untimed = false

    @Option(
        help: ArgumentHelp(
            "Clock that playback follows: clock (audio or system) or display.",
            discussion:
                "With display, the speed changes by up to 0.5 % so that frames match the refresh "
                + "rate."))
    var sync = SyncArgument.clock

    @Option(
        help: ArgumentHelp(
            "Texture upload method: direct, ring or mapped.",
            discussion: "The fastest by default; see 'playhead doctor'."))
    var upload: UploadArgument?

    @Option(help: "Write the last drawn frame as a PNG.", completion: .file())
    var screenshot: String?

    @Option(
        help: ArgumentHelp(
            "Write the statistics of the run as JSON.",
            discussion:
                "The statistics cover all files, which `files` lists; - is standard output."),
        completion: .file())
    var statsJson: String?

    @Option(
        help: ArgumentHelp(
            "Write the times of each shown frame as a line of CSV.",
            discussion: "The last column is the index of the file in `files` of --stats-json."),
        completion: .file())
    var statsCsv: String?

    /// A Boolean value that indicates whether GPU times are measured.
    var measuresGPU: Bool { statsJson != nil || statsCsv != nil }

    /// The option that selects playback without a window, for errors.
    private var mode: String { headless ? "--headless" : "--untimed" }

    func validate() throws {
        guard speed != 0, abs(speed) <= 16 else {
            throw ValidationError("--speed \(speed): expected a speed from -16 to 16 other than 0")
        }
        if speed < 0, duration != nil, start == nil {
            throw ValidationError("--duration with a negative --speed needs --start")
        }
        if let liveOffset, liveOffset.policy == nil {
            throw ValidationError(
                "--live-offset \(liveOffset.text): expected 0 to 86400 s, newest or smooth")
        }
        guard fps >= 1, fps <= 1000 else {
            throw ValidationError("--fps \(fps): expected a rate from 1 to 1000")
        }
        if window.idle, headless || untimed {
            throw ValidationError("--idle needs a window; remove \(mode)")
        }
        if window.pause, headless || untimed {
            throw ValidationError("--pause needs a window; remove \(mode)")
        }
        if abLoop != nil, headless || untimed {
            throw ValidationError(
                "--ab-loop needs a window; remove \(mode), or use --start and --duration instead")
        }
        let ofWindows = [
            ("--browse", window.browse), ("--ipc", window.ipc != nil),
            ("--monitor", window.monitor != nil),
            ("--output-monitor", window.outputMonitor != nil),
            ("--fullscreen", window.fullscreen), ("--save-position", savePosition),
        ]
        if headless || untimed, let (name, _) = ofWindows.first(where: \.1) {
            throw ValidationError(
                "\(name) needs a window; remove \(name) or \(mode)")
        }
        let hasCamera = files.contains(where: LiveVideoArgument.isOne)
        if capture.mirror, !hasCamera {
            throw ValidationError("--mirror needs a camera; name one, such as camera:0")
        }
        if capture.record != nil, !hasCamera,
            !files.contains(where: MicrophoneArgument.isMicrophone)
        {
            throw ValidationError(
                "--record needs a camera or a microphone; name one, such as camera:0")
        }
        if window.browse, hasCamera || files.contains(where: MicrophoneArgument.isMicrophone) {
            throw ValidationError(
                "--browse shows files; remove it, or name no camera, screen or microphone")
        }
        if let frames, frames < 1 {
            throw ValidationError("--frames \(frames): expected at least 1")
        }
        if transition.name != nil, untimed {
            throw ValidationError(
                "--transition cannot be combined with --untimed; remove one of them")
        }
        if abLoop != nil, duration != nil {
            throw ValidationError(
                "--duration cannot be combined with --ab-loop; remove one of them")
        }
        if loop || loopPlaylist, untimed {
            throw ValidationError(
                "\(loop ? "--loop" : "--loop-playlist") cannot be combined with --untimed; remove "
                    + "one of them")
        }
    }
}
