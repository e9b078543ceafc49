// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What was probably meant by an option that there is not: people who come from mpv write its names, and
/// others leave an end away.
enum OptionHint {
    /// What the parser says of such an option, with a better hint where there is one.
    ///
    /// - Parameters:
    ///   - message: such as `Unknown option '--vol'. Did you mean '--set'?`.
    ///   - options: asked for the long names of the command's own, without dashes.
    static func message(_ message: String, options: () -> [String]) -> String {
        let words = message.split(separator: "'", maxSplits: 2)
        guard words.count > 1, words[0] == "Unknown option ", words[1].hasPrefix("--") else {
            return message
        }
        let name = String(words[1].dropFirst(2).prefix { $0 != "=" })
        let meant = meant(by: name, of: options())
        guard !meant.isEmpty else {
            // Two sentences, where others are one.
            return message.hasSuffix("?")
                ? message.replacingOccurrences(of: ". Did you mean ", with: "; is ")
                    .dropLast() + " meant?" : message
        }
        let list = meant.map { "'--\($0)'" }.joined(separator: " or ")
        return "Unknown option '--\(name)'; is \(list) meant?"
    }

    /// Names of options that are probably meant by another; empty where nobody knows.
    static func meant(by name: String, of options: [String]) -> [String] {
        if let name = mpvNames[name], options.contains(name) { return [name] }
        let longer = options.filter { $0.hasPrefix(name) }.sorted()
        return longer.count < 5 ? longer : []
    }

    /// Options of mpv's, and what they are called here.
    private static let mpvNames = [
        "fs": "fullscreen", "input-ipc-server": "ipc", "sub-file": "sub", "sub-files": "sub",
        "loop-file": "loop", "aid": "audio-track", "sid": "subtitle-track", "end": "duration",
        "length": "duration", "no-audio": "mute", "geometry": "size", "autofit": "size",
        "screen": "monitor", "fs-screen": "monitor", "glsl-shader": "effect",
        "glsl-shaders": "effect", "save-position-on-quit": "save-position",
        "ab-loop-a": "ab-loop", "ab-loop-b": "ab-loop", "sub-codepage": "sub-encoding",
        "force-window": "idle", "keep-open": "idle", "video-sync": "sync",
        "override-display-fps": "display-fps", "no-resume-playback": "no-resume",
        "hwdec": "hwaccel", "input-keylist": "list-keys", "input-cmdlist": "list-commands",
        "list-properties": "list-commands", "no-sub": "subtitle-track",
    ]
}
