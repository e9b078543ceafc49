// SPDX-License-Identifier: Apache-2.0

extension KeyBindings {
    /// The default keys of a player window: mpv's keys, and some that only Playhead has.
    ///
    /// Rows that cannot be parsed are skipped; a test parses all of them.
    package static let standard: KeyBindings = {
        var bindings = KeyBindings()
        for (group, table) in tables {
            for (keys, commands, help) in table {
                let chords = keys.split(separator: " ").compactMap { try? KeyChord(String($0)) }
                guard let commands = try? CommandSequence(commands) else { continue }
                bindings.bind(KeyBinding(chords, commands, help: help, group: group))
            }
        }
        return bindings
    }()

    /// The keys, the commands and the description of a row.
    typealias Row = (keys: String, commands: String, help: String)

    static let tables: [(KeyBinding.Group, [Row])] = [
        (.playing, playing), (.moving, moving), (.sound, sound), (.tracks, tracks),
        (.picture, picture), (.window, window),
    ]

    private static let playing: [Row] = [
        ("SPACE p PAUSE MBTN_RIGHT", "cycle pause", "play, pause"),
        ("[", "multiply speed 1/1.1", "decrease speed by 10 %"),
        ("]", "multiply speed 1.1", "increase speed by 10 %"),
        ("{", "multiply speed 0.5", "halve speed"),
        ("}", "multiply speed 2.0", "double speed"),
        ("BS", "set speed 1.0", "reset speed"),
        ("B", "multiply speed -1", "reverse the direction of playback"),
        ("l", "ab-loop", "A-B loop: set A, set B, clear"),
        ("L", "cycle-values loop-file inf no", "loop the file"),
        ("> ENTER MBTN_FORWARD", "playlist-next", "next file"),
        ("< MBTN_BACK", "playlist-prev", "previous file"),
        ("F7", "browse", "show the folder of the file"),
        ("F8", "show-playlist", "show the playlist"),
    ]

    private static let moving: [Row] = [
        ("RIGHT", "seek 5", "seek 5 seconds forward"),
        ("LEFT", "seek -5", "seek 5 seconds back"),
        ("Shift+RIGHT", "seek 1 exact", "seek 1 second forward, exactly"),
        ("Shift+LEFT", "seek -1 exact", "seek 1 second back, exactly"),
        ("UP", "seek 60", "seek 1 minute forward"),
        ("DOWN", "seek -60", "seek 1 minute back"),
        ("Shift+UP", "seek 5 exact", "seek 5 seconds forward, exactly"),
        ("Shift+DOWN", "seek -5 exact", "seek 5 seconds back, exactly"),
        ("Shift+PGUP", "seek 600", "seek 10 minutes forward"),
        ("Shift+PGDWN", "seek -600", "seek 10 minutes back"),
        ("WHEEL_RIGHT", "seek 10", "seek 10 seconds forward"),
        ("WHEEL_LEFT", "seek -10", "seek 10 seconds back"),
        (".", "frame-step", "step one frame forward"),
        (",", "frame-back-step", "step one frame back"),
        ("PGUP", "add chapter 1", "next chapter"),
        ("PGDWN", "add chapter -1", "previous chapter"),
        ("HOME", "seek 0 absolute", "seek to the start"),
        ("END", "seek-live", "seek to the newest part of a live stream"),
        ("Shift+BS", "revert-seek", "undo the last seek"),
        ("o", "show-progress", "show progress"),
    ]

    private static let sound: [Row] = [
        ("0 * WHEEL_UP", "add volume 5", "volume up"),
        ("9 / WHEEL_DOWN", "add volume -5", "volume down"),
        ("m", "cycle mute", "mute"),
        ("Ctrl++ Ctrl+= Ctrl+KP_ADD", "add audio-delay 0.1", "delay audio"),
        ("Ctrl+- Ctrl+KP_SUBTRACT", "add audio-delay -0.1", "advance audio"),
    ]

    private static let tracks: [Row] = [
        ("#", "cycle audio", "next audio track"),
        ("_", "cycle video", "next video track"),
        ("j", "cycle sub", "next subtitle track"),
        ("J", "cycle sub down", "previous subtitle track"),
        ("v", "cycle sub-visibility", "show or hide subtitles"),
        ("z", "add sub-delay -0.1", "advance subtitles"),
        ("x Z", "add sub-delay 0.1", "delay subtitles"),
        ("G", "add sub-scale 0.1", "larger subtitles"),
        ("F", "add sub-scale -0.1", "smaller subtitles"),
        ("r", "add sub-pos -1", "move subtitles up"),
        ("R t", "add sub-pos 1", "move subtitles down"),
        ("Ctrl+LEFT", "sub-seek -1", "seek to the previous subtitle"),
        ("Ctrl+RIGHT", "sub-seek 1", "seek to the next subtitle"),
        ("Ctrl+Shift+LEFT", "sub-step -1", "shift subtitles: show the previous one now"),
        ("Ctrl+Shift+RIGHT", "sub-step 1", "shift subtitles: show the next one now"),
        ("F9", "show-tracks", "show the tracks"),
    ]

    private static let picture: [Row] = [
        ("1", "add contrast -1", "decrease contrast"),
        ("2", "add contrast 1", "increase contrast"),
        ("3", "add brightness -1", "decrease brightness"),
        ("4", "add brightness 1", "increase brightness"),
        ("5", "add gamma -1", "decrease gamma"),
        ("6", "add gamma 1", "increase gamma"),
        ("7", "add saturation -1", "decrease saturation"),
        ("8", "add saturation 1", "increase saturation"),
        ("Alt+7", "add hue -1", "decrease hue"),
        ("Alt+8", "add hue 1", "increase hue"),
        ("Alt+r", "cycle-values video-rotate 90 180 270 0", "rotate by 90 degrees"),
        ("A", "cycle video-aspect-override", "next aspect ratio"),
        ("Alt++ Alt+= Alt+KP_ADD", "add video-zoom 0.1", "zoom in"),
        ("Alt+- Alt+KP_SUBTRACT", "add video-zoom -0.1", "zoom out"),
        ("Alt+LEFT", "add video-pan-x 0.1", "pan left"),
        ("Alt+RIGHT", "add video-pan-x -0.1", "pan right"),
        ("Alt+UP", "add video-pan-y 0.1", "pan up"),
        ("Alt+DOWN", "add video-pan-y -0.1", "pan down"),
        (
            "Alt+BS",
            "set video-zoom 0; set video-pan-x 0; set video-pan-y 0",
            "reset zoom and pan"
        ),
        ("w", "add panscan -0.1", "crop less"),
        ("W", "add panscan 0.1", "crop to fill the window"),
        ("d", "cycle deinterlace", "toggle deinterlacing"),
        ("b", "cycle deband", "toggle debanding"),
        ("e", "cycle effects", "toggle effects"),
        ("Ctrl+e", "clear-effects", "remove all effects"),
        ("Ctrl+r", "reset-effects", "reset effects"),
        ("s", "screenshot", "screenshot of the video"),
        ("S", "screenshot video", "screenshot without subtitles"),
        ("Ctrl+s", "screenshot window", "screenshot of the window"),
    ]

    private static let window: [Row] = [
        ("f F11 MBTN_LEFT_DBL", "cycle fullscreen", "full screen"),
        ("ESC", "set fullscreen no; no-osd set output-monitor no", "leave full screen"),
        ("Ctrl+f", "cycle output-monitor", "show the video on the other monitor"),
        ("Alt+0", "set window-scale 0.5", "window at half the video's size"),
        ("Alt+1", "set window-scale 1", "window at the video's size"),
        ("Alt+2", "set window-scale 2", "window at twice the video's size"),
        ("T", "cycle ontop", "keep the window on top"),
        ("c", "trim", "trim the file"),
        ("DEL", "cycle controls", "show controls: automatically, never, always"),
        ("i", "show-statistics", "show statistics for a moment"),
        ("I", "show-statistics stays", "toggle statistics"),
        ("? F1", "show-keys", "show these keys"),
        ("q Ctrl+q Ctrl+w", "quit", "quit"),
        ("Q", "quit-watch-later", "quit and remember the position"),
    ]
}

extension KeyBindings {
    /// The number of rows in the source, for the test that parses all of them.
    package static var standardRowCount: Int { tables.map(\.1.count).reduce(0, +) }
}
