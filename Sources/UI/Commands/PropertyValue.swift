// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The value of a property: a flag, a number, text, a list or a map.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `mpv_node`.
package enum PropertyValue: Sendable, Hashable {
    case flag(Bool)
    /// A number. Times are in seconds, volumes and fractions in percent.
    case number(Double)
    case text(String)
    case list([PropertyValue])
    /// Values by name.
    case map([String: PropertyValue])

    /// The value that stands for no choice, such as no track or no loop.
    package static let no = PropertyValue.text("no")

    /// Parses text as a value of a form.
    ///
    /// - Returns: nil if the text is not a value of the form.
    package init?(_ text: String, as form: PropertyForm) {
        switch form {
        case .flag:
            switch text {
            case "yes", "true", "on": self = .flag(true)
            case "no", "false", "off": self = .flag(false)
            default: return nil
            }
        case .number:
            guard let number = Double(text), number.isFinite else { return nil }
            self = .number(number)
        case .time(let canBeNone):
            if canBeNone, text == "no" {
                self = .no
            } else {
                guard let time = CommandTime.parse(text) else { return nil }
                self = .number(time.seconds)
            }
        case .track:
            if text == "no" || text == "auto" {
                self = .text(text)
            } else {
                guard let number = Int(text), number > 0 else { return nil }
                self = .number(Double(number))
            }
        case .choice(let choices):
            guard choices.contains(text) else { return nil }
            self = .text(text)
        case .ratio:
            if text == "no" || Double(text).map({ $0 <= 0 }) == true {
                self = .no
            } else {
                self = .text(text)
                guard ratio != nil else { return nil }
            }
        case .text: self = .text(text)
        case .list, .map: return nil
        }
    }

    /// The ratio in text such as `16:9` or `1.85`, or nil if the text is not a plausible ratio.
    package var ratio: Double? {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }
        guard numbers.count == parts.count, numbers.count <= 2 else { return nil }
        let ratio = numbers.count == 2 ? numbers[0] / numbers[1] : numbers[0]
        return (0.01...100).contains(ratio) ? ratio : nil
    }

    /// Returns a part of a list or map, named as in mpv: `count` or `2/title` of a list; `title` or
    /// `by-key/title` of a map, regardless of case. Returns nil if there is no such part.
    package func part(_ path: Substring) -> PropertyValue? {
        let names = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = names.first else { return nil }
        let rest = names.count == 2 ? names[1] : nil
        var part: PropertyValue?
        switch self {
        case .list(let values):
            if name == "count" {
                part = .number(Double(values.count))
            } else if let index = Int(name), values.indices.contains(index) {
                part = values[index]
            }
        case .map(let values):
            if name == "by-key", let rest { return self.part(rest) }
            part = values[String(name)]
            if part == nil {
                let lowercase = name.lowercased()
                part = values.first { $0.key.lowercased() == lowercase }?.value
            }
        case .flag, .number, .text: break
        }
        guard let rest else { return part }
        return part?.part(rest)
    }

    /// A Boolean value that indicates whether the value is the flag `yes`.
    package var isTrue: Bool { self == .flag(true) }

    /// The number, or nil if the value is not a number.
    package var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }
}

extension PropertyValue: CustomStringConvertible {
    /// The value as in a command: `yes`, `-0.5`, or text. Lists and maps are written as JSON.
    package var description: String {
        switch self {
        case .flag(let flag): flag ? "yes" : "no"
        case .number(let number): CommandTime.text(number)
        case .text(let text): text
        case .list(let values): "[" + values.map(\.element).joined(separator: ",") + "]"
        case .map(let values):
            "{"
                + values.sorted { $0.key < $1.key }.map {
                    "\(PropertyValue.text($0.key).element):\($0.value.element)"
                }.joined(separator: ",") + "}"
        }
    }

    /// The value as a JSON element.
    private var element: String {
        switch self {
        case .flag(let flag): return flag ? "true" : "false"
        case .number, .list, .map: return description
        case .text(let text):
            var quoted = ""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"", "\\": quoted += "\\\(scalar)"
                case "\n": quoted += "\\n"
                case _ where scalar.value < 0x20:
                    let digits = String(scalar.value, radix: 16)
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                default: quoted.unicodeScalars.append(scalar)
                }
            }
            return "\"\(quoted)\""
        }
    }
}
