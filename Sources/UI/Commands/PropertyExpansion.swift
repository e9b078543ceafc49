// SPDX-License-Identifier: Apache-2.0

/// Replaces `${property}` in text by values of properties.
///
/// | in the text | becomes |
/// |---|---|
/// | `${time-pos}` | the formatted value: `00:01:02` |
/// | `${=time-pos}` | the raw value: `62.5` |
/// | `${path:none}` | the value; `none` if there is no value |
/// | `${?chapter:…}` `${!chapter:…}` | the text, if there is a value; `!`: if there is no value |
/// | `${?pause==yes:…}` `${!pause==yes:…}` | the text, if the value is `yes`; `!`: if it is not |
/// | `$$` `$>` | a dollar sign; `$>`: nothing, and the rest is not expanded |
///
/// - Concurrency: the main thread.
/// - Corresponds to: "Property Expansion" of mpv's manual.
@MainActor struct PropertyExpansion {
    /// Returns the value of a property; nil if it has none.
    let value: @MainActor (PlayerProperty) -> PropertyValue?

    /// Returns the text with each `${property}` replaced.
    func expanded(_ text: String) -> String { expanded(text[...]) }

    private func expanded(_ text: Substring) -> String {
        var rest = text
        var result = ""
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[dollar...].dropFirst()
            switch rest.first {
            case "$":
                result += "$"
                rest = rest.dropFirst()
            case ">": return result + rest.dropFirst()
            case "{":
                guard let end = Self.closingBrace(of: rest) else { return result + "$" + rest }
                result += replacement(of: rest[..<end].dropFirst())
                rest = rest[end...].dropFirst()
            default: result += "$"
            }
        }
        return result + rest
    }

    /// Returns the index of the closing brace, or nil.
    private static func closingBrace(of text: Substring) -> Substring.Index? {
        var depth = 0
        for index in text.indices {
            if text[index] == "{" { depth += 1 }
            if text[index] == "}" { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// Returns the replacement of the text between braces.
    private func replacement(of text: Substring) -> String {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let otherwise = halves.count == 2 ? halves[1] : nil
        var name = halves[0]
        let mark = name.first.flatMap { "?!=".contains($0) ? $0 : nil }
        if mark != nil { name = name.dropFirst() }
        var wanted: Substring?
        if mark == "?" || mark == "!", let sign = name.firstRange(of: "==") {
            wanted = name[sign.upperBound...]
            name = name[..<sign.lowerBound]
        }
        guard let (property, path) = PlayerProperty.atPath(String(name)) else {
            return otherwise.map(expanded) ?? (mark == "?" || mark == "!" ? "" : "(error)")
        }
        let whole = value(property)
        // mpv formats these properties with more digits.
        let isFull = path == "full" && whole?.number != nil
        let part = isFull ? whole : path.map { whole?.part($0) } ?? whole
        switch mark {
        case "?", "!":
            let holds = wanted.map { part?.description == String($0) } ?? (part != nil)
            return holds == (mark == "?") ? otherwise.map(expanded) ?? "" : ""
        default:
            guard let part else { return otherwise.map(expanded) ?? "(unavailable)" }
            if mark == "=" || path != nil && !isFull { return part.description }
            return Self.text(part, of: property, isFull: isFull)
        }
    }

    /// Returns a formatted value.
    private static func text(
        _ value: PropertyValue, of property: PlayerProperty, isFull: Bool
    ) -> String {
        guard let number = value.number, number.magnitude < 1e9 else { return value.description }
        if case .time = property.details.form {
            let seconds = Int(number.magnitude)
            let fields = [seconds / 3600, seconds / 60 % 60, seconds % 60].map {
                $0 < 10 ? "0\($0)" : "\($0)"
            }
            let isNegative = number <= (isFull ? -0.001 : -1)
            var text = (isNegative ? "-" : "") + fields.joined(separator: ":")
            if isFull {
                let digits = String(Int(number.magnitude * 1000) % 1000)
                text += "." + String(repeating: "0", count: 3 - digits.count) + digits
            }
            return text
        }
        if property == .percentPosition { return String(Int(number)) }
        return CommandTime.text((number * 100).rounded() / 100)
    }
}

extension PlayerProperty {
    /// Splits a name such as `track-list/0/lang` into the property and the path of a part of its
    /// list or map.
    ///
    /// - Returns: nil if there is no such property. The path is not checked.
    package static func atPath(_ name: String) -> (property: PlayerProperty, path: Substring?)? {
        if let whole = PlayerProperty(name: name) { return (whole, nil) }
        guard let slash = name.firstIndex(of: "/"),
            let property = PlayerProperty(name: String(name[..<slash]))
        else { return nil }
        return (property, name[name.index(after: slash)...])
    }
}

extension PlayerController {
    /// Returns text with `${property}` expanded, as mpv's `expand-text` does.
    package func expanded(_ text: String) -> String {
        PropertyExpansion { [self] in value(of: $0) }.expanded(text)
    }
}

extension PlayerCommand {
    /// Returns the command with a function applied to its free text.
    func mappingWords(_ change: (String) -> String) -> PlayerCommand {
        switch self {
        case .showText(let text, let duration): .showText(change(text), duration: duration)
        case .printText(let text): .printText(change(text))
        // The value is checked when it is set.
        case .set(let property, .text(let text)): .set(property, .text(change(text)))
        case .cycleValues(let property, let values):
            .cycleValues(
                property,
                values.map { value in
                    guard case .text(let text) = value else { return value }
                    let changed = change(text)
                    return PropertyValue(changed, as: property.details.form) ?? .text(changed)
                })
        case .loadFile(let path, let mode): .loadFile(change(path), mode)
        case .subtitleAdd(let path): .subtitleAdd(change(path))
        case .screenshotToFile(let path, let content): .screenshotToFile(change(path), content)
        case .message(let name, let words): .message(name, words.map(change))
        default: self
        }
    }
}
