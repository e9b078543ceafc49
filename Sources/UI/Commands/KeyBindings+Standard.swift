// SPDX-License-Identifier: Apache-2.0

extension KeyBindings {
    /// The keys of a player window, which are mpv's where mpv has one.
    ///
    /// The table is data, a row each, in the form of a file of bindings; that all of it can be read
    /// is tested.
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

    /// Keys, commands, and what a help text says.
    typealias Row = (keys: String, commands: String, help: String)

    static let tables: [(KeyBinding.Group, [Row])] = [
        (.playing, playing), (.moving, moving), (.sound, sound), (.tracks, tracks),
        (.picture, picture), (.window, window),
    ]

    private static let playing: [Row] = [
        ("SPACE p PAUSE MBTN_RIGHT", "cycle pause", "play, pause"),
        ("[", "multiply speed 1/1.1", "slower by a tenth"),
        ("]", "multiply speed 1.1", "faster by a tenth"),
        ("{", "multiply speed 0.5", "half as fast"),
        ("}", "multiply speed 2.0", "twice as fast"),
        ("BS", "set speed 1.0", "normal speed"),
        ("B", "multiply speed -1", "backwards, forwards"),
        ("l", "ab-loop", "repeat a part: its beginning, its end, no more"),
        ("L", "cycle-values loop-file inf no", "repeat the film"),
        ("> ENTER MBTN_FORWARD", "playlist-next", "next film"),
        ("< MBTN_BACK", "playlist-prev", "film before"),
        ("F8", "show-playlist", "list of films"),
    ]

    private static let moving: [Row] = [
        ("RIGHT", "seek 5", "5 seconds forward"),
        ("LEFT", "seek -5", "5 seconds back"),
        ("Shift+RIGHT", "seek 1 exact", "1 second forward, exactly"),
        ("Shift+LEFT", "seek -1 exact", "1 second back, exactly"),
        ("UP", "seek 60", "1 minute forward"),
        ("DOWN", "seek -60", "1 minute back"),
        ("Shift+UP", "seek 5 exact", "5 seconds forward, exactly"),
        ("Shift+DOWN", "seek -5 exact", "5 seconds back, exactly"),
        ("Shift+PGUP", "seek 600", "10 minutes forward"),
        ("Shift+PGDWN", "seek -600", "10 minutes back"),
        ("WHEEL_RIGHT", "seek 10", "10 seconds forward"),
        ("WHEEL_LEFT", "seek -10", "10 seconds back"),
        (".", "frame-step", "one frame forward"),
        (",", "frame-back-step", "one frame back, exactly"),
        ("PGUP", "add chapter 1", "next chapter"),
        ("PGDWN", "add chapter -1", "chapter before"),
        ("HOME", "seek 0 absolute", "to the beginning"),
        ("Shift+BS", "revert-seek", "back to before the last seek"),
        ("o", "show-progress", "time and bar"),
    ]

    private static let sound: [Row] = [
        ("0 * WHEEL_UP", "add volume 5", "louder"),
        ("9 / WHEEL_DOWN", "add volume -5", "quieter"),
        ("m", "cycle mute", "silence"),
        ("Ctrl++ Ctrl+= Ctrl+KP_ADD", "add audio-delay 0.1", "sound later"),
        ("Ctrl+- Ctrl+KP_SUBTRACT", "add audio-delay -0.1", "sound earlier"),
    ]

    private static let tracks: [Row] = [
        ("#", "cycle audio", "next sound track"),
        ("_", "cycle video", "next video track"),
        ("j", "cycle sub", "next subtitles"),
        ("J", "cycle sub down", "subtitles before"),
        ("v", "cycle sub-visibility", "subtitles on, off"),
        ("z", "add sub-delay -0.1", "subtitles earlier"),
        ("x Z", "add sub-delay 0.1", "subtitles later"),
        ("G", "add sub-scale 0.1", "larger subtitles"),
        ("F", "add sub-scale -0.1", "smaller subtitles"),
        ("r", "add sub-pos -1", "subtitles up"),
        ("R t", "add sub-pos 1", "subtitles down"),
        ("Ctrl+LEFT", "sub-seek -1", "to the subtitle before"),
        ("Ctrl+RIGHT", "sub-seek 1", "to the next subtitle"),
        ("Ctrl+Shift+LEFT", "sub-step -1", "the next subtitle now"),
        ("Ctrl+Shift+RIGHT", "sub-step 1", "the subtitle before now"),
        ("F9", "show-tracks", "list of tracks"),
    ]

    private static let picture: [Row] = [
        ("1", "add contrast -1", "less contrast"),
        ("2", "add contrast 1", "more contrast"),
        ("3", "add brightness -1", "darker"),
        ("4", "add brightness 1", "brighter"),
        ("5", "add gamma -1", "darker in the middle"),
        ("6", "add gamma 1", "brighter in the middle"),
        ("7", "add saturation -1", "paler"),
        ("8", "add saturation 1", "more colourful"),
        ("Alt+7", "add hue -1", "hues turned back"),
        ("Alt+8", "add hue 1", "hues turned on"),
        ("Alt+r", "cycle-values video-rotate 90 180 270 0", "turned by a quarter"),
        ("A", "cycle video-aspect-override", "shape of the picture"),
        ("Alt++ Alt+= Alt+KP_ADD", "add video-zoom 0.1", "larger"),
        ("Alt+- Alt+KP_SUBTRACT", "add video-zoom -0.1", "smaller"),
        ("Alt+LEFT", "add video-pan-x 0.1", "picture to the right"),
        ("Alt+RIGHT", "add video-pan-x -0.1", "picture to the left"),
        ("Alt+UP", "add video-pan-y 0.1", "picture down"),
        ("Alt+DOWN", "add video-pan-y -0.1", "picture up"),
        (
            "Alt+BS",
            "set video-zoom 0; set video-pan-x 0; set video-pan-y 0",
            "picture as it was"
        ),
        ("w", "add panscan -0.1", "cut off less"),
        ("W", "add panscan 0.1", "cut off more, so that it fills"),
        ("d", "cycle deinterlace", "fields one by one"),
        ("b", "cycle deband", "bands in skies and shadows smoothed"),
        ("e", "cycle effects", "effects on, off"),
        ("Ctrl+e", "clear-effects", "no effects any more"),
        ("Ctrl+r", "reset-effects", "effects as they were first"),
        ("s", "screenshot", "screenshot of the film"),
        ("S", "screenshot video", "the same without subtitles"),
        ("Ctrl+s", "screenshot window", "screenshot of the window"),
    ]

    private static let window: [Row] = [
        ("f F11 MBTN_LEFT_DBL", "cycle fullscreen", "fullscreen"),
        ("ESC", "set fullscreen no; no-osd set output-monitor no", "leave fullscreen"),
        ("Ctrl+f", "cycle output-monitor", "the film on the other monitor, controls here"),
        ("Alt+0", "set window-scale 0.5", "half of the film's size"),
        ("Alt+1", "set window-scale 1", "the film's size"),
        ("Alt+2", "set window-scale 2", "twice the film's size"),
        ("T", "cycle ontop", "stay above other windows"),
        ("DEL", "cycle controls", "controls by themselves, never, always"),
        ("i", "show-statistics", "statistics for a moment"),
        ("I", "show-statistics stays", "statistics until the next time"),
        ("? F1", "show-keys", "these keys"),
        ("q Ctrl+q Ctrl+w", "quit", "quit"),
        ("Q", "quit-watch-later", "quit, and go on there the next time"),
    ]
}

extension KeyBindings {
    /// How many rows the table is meant to have, for the test that all of it can be read.
    package static var standardRowCount: Int { tables.map(\.1.count).reduce(0, +) }
}
