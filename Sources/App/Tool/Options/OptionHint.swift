// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The suggestion for an unknown option. It is an option with the same meaning (mpv's names are
/// known), an option with a similar name, or a key that has the option's effect in a window.
enum OptionHint {
    /// Replaces the suggestion in a message of the parser if there is a better one.
    ///
    /// - Parameters:
    ///   - message: a message such as `Unknown option '--vol'. Did you mean '--set'?`.
    ///   - options: returns the long names of the command's options, without dashes.
    static func message(_ message: String, options: () -> [String]) -> String {
        let words = message.split(separator: "'", maxSplits: 2)
        guard words.count > 1, words[0] == "Unknown option ", words[1].hasPrefix("--") else {
            return message
        }
        let name = String(words[1].dropFirst(2).prefix { $0 != "=" })
        let options = options()
        let unknown = "Unknown option '--\(name)'"
        let meant = meant(by: name, of: options)
        if !meant.isEmpty {
            let list = meant.map { "'--\($0)'" }.joined(separator: " or ")
            return "\(unknown); did you mean \(list)?"
        }
        // Only `play` has a window.
        if options.contains("list-keys"), let key = keyHint(for: name) {
            return "\(unknown); \(key)"
        }
        return unknown
    }

    /// Returns the options that the user probably meant; an empty array if no option is similar.
    static func meant(by name: String, of options: [String]) -> [String] {
        if let name = synonyms[name], options.contains(name) { return [name] }
        let longer = options.filter { $0.hasPrefix(name) }.sorted()
        if !longer.isEmpty { return longer.count < 5 ? longer : [] }
        // An option whose name only happens to be similar does not help, so one wrong character in
        // four is the limit.
        let limit = max(1, name.count / 4)
        let alike = options.map { ($0, CommandError.distance(name, $0)) }.filter { $0.1 <= limit }
        return alike.min { ($0.1, $0.0) < ($1.1, $1.0) }.map { [$0.0] } ?? []
    }

    /// Returns a hint that names a key. In a window, the key does what the mpv option would do.
    private static func keyHint(for name: String) -> String? {
        var name = name
        if name.hasPrefix("no-") { name = String(name.dropFirst(3)) }
        guard let property = PlayerProperty(name: properties[name] ?? name) else { return nil }
        let rows = KeyBindings.standard.rows.filter { row in
            row.commands.steps.first.map { $0.command.property == property } ?? false
        }
        guard let row = rows.first, let chord = row.chords.first else {
            return property.details.isWritable
                ? "set the property '\(property)' with --ipc or in keys.conf" : nil
        }
        let keys = rows.prefix(2).compactMap(\.chords.first?.title).joined(separator: " or ")
        return "press \(rows.count > 1 ? keys : chord.title) in the window"
    }

    /// mpv's options, and the properties that they set.
    private static let properties = [
        "osc": "controls", "osd-bar": "controls", "rotate": "video-rotate",
        "video-aspect": "video-aspect-override", "audio-channels": "aid",
    ]

    /// The options of mpv and other players, and Playhead's options with the same meaning.
    private static let synonyms = [
        "fs": "fullscreen", "input-ipc-server": "ipc", "sub-file": "sub", "sub-files": "sub",
        "loop-file": "loop", "repeat": "loop", "aid": "audio-track", "sid": "subtitle-track",
        "end": "duration", "length": "duration", "no-audio": "mute", "geometry": "size",
        "autofit": "size", "screen": "monitor", "fs-screen": "monitor", "glsl-shader": "effect",
        "glsl-shaders": "effect", "save-position-on-quit": "save-position",
        "ab-loop-a": "ab-loop", "ab-loop-b": "ab-loop", "sub-codepage": "sub-encoding",
        "force-window": "idle", "keep-open": "idle", "video-sync": "sync",
        "override-display-fps": "display-fps", "no-resume-playback": "no-resume",
        "hwdec": "hwaccel", "input-keylist": "list-keys", "input-cmdlist": "list-commands",
        "list-properties": "list-commands", "no-sub": "subtitle-track", "vf": "effect",
        "random": "shuffle", "rate": "speed", "start-time": "start",
        "http-header": "http-header-fields", "proxy": "http-proxy",
    ]
}

extension PlayerCommand {
    /// The property that the command changes; nil if it changes none.
    fileprivate var property: PlayerProperty? {
        switch self {
        case .set(let property, _), .add(let property, _), .multiply(let property, _),
            .cycle(let property, _), .cycleValues(let property, _):
            property
        default: nil
        }
    }
}
