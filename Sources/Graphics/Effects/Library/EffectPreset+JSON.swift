// SPDX-License-Identifier: Apache-2.0

import PlayheadJSON
import PlayheadTime

/// ```json
/// {
///   "name": "Warm",
///   "effects": [
///     { "effect": "white_balance", "values": { "temperature": 0.3, "tint": 0.1 } },
///     { "effect": "glow.fs", "enabled": false,
///       "keyframes": { "amount": [
///         { "time": 0, "value": 0 }, { "time": "5/2", "value": 1, "then": "smooth" } ] } }
///   ]
/// }
/// ```
extension EffectPreset {
    /// Parses JSON. Colours are three or four numbers or `"#rrggbb"`; points are two numbers. For
    /// an input that is an image, a string is the path of the image; for other inputs, a string is
    /// a value in the notation of the command line. Times are numbers of seconds, or strings with a
    /// fraction.
    ///
    /// - Parameter path: The path for error reports. Other paths are relative to its folder.
    /// - Throws: `EffectError.malformedHeader`.
    public init(json text: String, path: String) throws(EffectError) {
        let text = ShaderText.withLineFeeds(text)
        let root: JSONValue
        let places: JSONPlaces
        do throws(JSONParser.Failure) {
            (root, places) = try JSONParser.parseWithPlaces(text)
        } catch {
            throw .malformedHeader(
                path: path, line: error.line, column: error.column,
                reason: "the preset is not JSON: " + error.reason)
        }
        var origin = Origin(path: path, places: places)
        try origin.check(root, [], "a preset", ["name", "effects"])
        guard let list = root["effects"]?.array else {
            throw origin.error("a preset must have a list \"effects\"", at: ["effects"])
        }
        var entries: [Entry] = []
        for (index, item) in list.enumerated() {
            let place = ["effects", "\(index)"]
            guard let effect = item["effect"]?.string, !effect.isEmpty else {
                throw origin.error(
                    "an element of \"effects\" must name its effect in \"effect\"", at: place)
            }
            try origin.check(
                item, place, "an element of \"effects\"",
                ["effect", "enabled", "values", "keyframes"])
            var entry = Entry(effect: effect)
            if let enabled = item["enabled"] {
                guard let isEnabled = enabled.bool else {
                    throw origin.error(
                        "\"enabled\" must be true or false", at: place + ["enabled"])
                }
                entry.isEnabled = isEnabled
            }
            for (name, value) in try origin.members("values", of: item, place) {
                if let value = Self.value(value) {
                    entry.values[name] = value
                } else if let picture = value.string {
                    entry.pictures[name] = picture
                } else {
                    throw origin.error(
                        "the value of \"\(name)\" has a type that no input supports",
                        at: place + ["values", name])
                }
            }
            for (name, frames) in try origin.members("keyframes", of: item, place) {
                let keyframes = (frames.array ?? []).map { Self.keyframe($0) }
                let wrong = keyframes.firstIndex { $0 == nil }
                guard wrong == nil, !keyframes.isEmpty else {
                    throw origin.error(
                        "the keyframes of \"\(name)\" each need a \"time\" and a \"value\"; "
                            + "an optional \"then\" must be linear, hold or smooth",
                        at: place + ["keyframes", name] + (wrong.map { ["\($0)"] } ?? []))
                }
                entry.animations[name] = EffectAnimation(keyframes.compactMap { $0 })
            }
            entries.append(entry)
            origin.effects.append(effect)
        }
        self.init(name: root["name"]?.string ?? "", entries: entries)
        self.origin = origin
        folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private static func value(_ value: JSONValue) -> EffectValue? {
        switch value {
        case .bool(let value): return .bool(value)
        case .number: return value.float.map { .float($0) }
        case .string(let text) where text.hasPrefix("#"):
            return EffectInput(name: "", kind: .color).value(parsing: text)
        default: break
        }
        guard let numbers = value.numbers else { return nil }
        switch numbers.count {
        case 2: return .point2D([numbers[0], numbers[1]])
        case 3: return .color([numbers[0], numbers[1], numbers[2], 1])
        case 4: return .color([numbers[0], numbers[1], numbers[2], numbers[3]])
        default: return nil
        }
    }

    private static func keyframe(_ item: JSONValue) -> EffectAnimation.Keyframe? {
        let interpolation = item["then"].map {
            $0.string.flatMap(EffectAnimation.Interpolation.init)
        }
        guard let time = item["time"].flatMap(time), let value = item["value"].flatMap(value),
            let interpolation = interpolation ?? .linear
        else { return nil }
        return EffectAnimation.Keyframe(at: time, value, interpolation)
    }

    /// Parses a time: a number of seconds, rounded to microseconds, or a string with an exact
    /// fraction.
    private static func time(_ value: JSONValue) -> MediaTime? {
        if case .number(let seconds) = value, seconds.magnitude < 1e9 {
            if seconds == seconds.rounded() {
                return MediaTime(value: Int64(seconds), timescale: 1)
            }
            return MediaTime(seconds: seconds, preferredTimescale: 1_000_000)
        }
        let parts = (value.string ?? "").split(separator: "/")
        guard parts.count == 2, let number = Int64(parts[0]), let scale = Int32(parts[1]), scale > 0
        else { return nil }
        return MediaTime(value: number, timescale: scale)
    }

    // MARK: Writing

    /// The preset as JSON. Equal presets have equal text.
    public var json: String {
        var items: [String] = []
        for entry in entries {
            var members = ["\"effect\": \(Self.quoted(entry.effect))"]
            if !entry.isEnabled { members.append("\"enabled\": false") }
            var values = entry.values.compactMap { name, value in
                Self.text(value).map { (name, $0) }
            }
            values += entry.pictures.map { ($0, Self.quoted($1)) }
            if !values.isEmpty { members.append("\"values\": \(Self.object(values, indent: 6))") }
            let animations = entry.animations.map { name, animation in
                (name, Self.text(animation))
            }
            if !animations.isEmpty {
                members.append("\"keyframes\": \(Self.object(animations, indent: 6))")
            }
            items.append("    {\n      " + members.joined(separator: ",\n      ") + "\n    }")
        }
        let name = name.isEmpty ? "" : "  \"name\": \(Self.quoted(name)),\n"
        return "{\n" + name + "  \"effects\": [\n" + items.joined(separator: ",\n") + "\n  ]\n}\n"
    }

    private static func object(_ members: [(String, String)], indent: Int) -> String {
        let space = "\n" + String(repeating: " ", count: indent + 2)
        let lines = members.sorted { $0.0 < $1.0 }.map { "\(quoted($0)): \($1)" }
        return "{" + space + lines.joined(separator: "," + space) + "\n"
            + String(repeating: " ", count: indent) + "}"
    }

    private static func text(_ value: EffectValue) -> String? {
        switch value {
        case .bool(let value): value ? "true" : "false"
        case .long(let value): "\(value)"
        case .float(let value): number(value)
        case .point2D(let value): "[\(number(value.x)), \(number(value.y))]"
        case .color(let value):
            "[" + (0..<4).map { number(value[$0]) }.joined(separator: ", ") + "]"
        case .event, .image: nil
        }
    }

    private static func text(_ animation: EffectAnimation) -> String {
        let frames = animation.keyframes.map { frame in
            let time = frame.time
            let then =
                frame.interpolation == .linear
                ? "" : ", \"then\": \"\(frame.interpolation.rawValue)\""
            let when = time.timescale == 1 ? "\(time.value)" : "\"\(time.value)/\(time.timescale)\""
            return "{ \"time\": \(when), \"value\": \(text(frame.value) ?? "0")\(then) }"
        }
        return "[ " + frames.joined(separator: ", ") + " ]"
    }

    /// Returns the shortest text that parses to the same number.
    private static func number(_ value: Float) -> String {
        guard value.isFinite else { return "0" }
        return value == value.rounded() && value.magnitude < 1e6 ? "\(Int(value))" : "\(value)"
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
