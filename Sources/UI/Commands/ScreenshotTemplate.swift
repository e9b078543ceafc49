// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadTime

/// A template for the names of screenshots.
///
///     let template = try ScreenshotTemplate("%F-%wM.%wS-%n")
///     template.path(number: 3, facts)   // "film-01.02-0003"
///
/// | in the template | in the name |
/// |---|---|
/// | `%n`, `%05n` | an unused number with four digits, or with `5` digits; `%#n`: the lowest one |
/// | `%f` `%F` | the file name, with and without extension |
/// | `%x`, `%X{else}` | the directory with a final slash; without a directory, nothing or `else` |
/// | `%p` `%P` | the position, as `01:02:03` and `01:02:03.456` |
/// | `%wH` `%wh` | the hours of the position, with two digits or with as few as needed |
/// | `%wM` `%wm` | the minutes within the hour, and in total |
/// | `%wS` `%ws` `%wf` | the seconds within the minute, in total, and with decimals |
/// | `%wT` | the milliseconds within the second |
/// | `%tX` | the date, formatted by strftime(3) with `%X`: `%tY`, `%tm`, `%td`, `%tH` … |
/// | `%{property}`, `%{property:else}` | a property; `else` if it has no value |
/// | `%%` | `%` |
///
/// In the values of properties, `/` is replaced by `_`.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: mpv's `--screenshot-template`.
package struct ScreenshotTemplate: Sendable, Hashable {
    /// The values that a template can use.
    package struct Facts: Sendable {
        /// The path or URL.
        package var file: String
        /// The position.
        package var time: MediaTime
        /// The date, in seconds since 1970.
        package var date: Int
        /// Returns a property as text; nil if it has no value.
        package var property: @Sendable (PlayerProperty) -> String?

        package init(
            file: String, time: MediaTime, date: Int,
            property: @escaping @Sendable (PlayerProperty) -> String? = { _ in nil }
        ) {
            self.file = file
            self.time = time
            self.date = date
            self.property = property
        }
    }

    private enum Part: Sendable, Hashable {
        case text(String)
        case number(digits: Int)
        case file(hasEnding: Bool)
        case folder(fallback: String)
        case time(Character)
        case clock(hasMilliseconds: Bool)
        case date(Character)
        case property(PlayerProperty, fallback: String?)
    }

    private var parts: [Part] = []
    /// A Boolean value that indicates whether names contain a number, so that an unused name can be
    /// found.
    package private(set) var hasNumber = false
    /// A Boolean value that indicates whether the number in a name is the lowest unused one.
    package private(set) var takesLowestNumber = false

    /// The default template, `playhead-%n`.
    package static let standard: ScreenshotTemplate = {
        var template = ScreenshotTemplate()
        template.parts = [.text("playhead-"), .number(digits: 4)]
        template.hasNumber = true
        return template
    }()

    private init() {}

    /// Parses a template.
    ///
    /// - Throws: `CommandError` if a `%` is followed by something that the table does not list.
    package init(_ text: String) throws(CommandError) {
        var rest = text[...]
        while let percent = rest.firstIndex(of: "%") {
            if percent > rest.startIndex { parts.append(.text(String(rest[..<percent]))) }
            rest = rest[percent...].dropFirst()
            guard let part = try readPart(&rest) else {
                throw .wrongValue(
                    argument: "template", value: text,
                    expected: "one of n f F x X p P w t { or % after each %")
            }
            parts.append(part)
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        guard !parts.isEmpty else {
            throw .wrongValue(argument: "template", value: text, expected: "a name such as %F-%n")
        }
    }

    /// Parses the text after a percent sign; returns nil if the table does not list it.
    private mutating func readPart(_ rest: inout Substring) throws(CommandError) -> Part? {
        if let digits = readNumber(&rest) {
            hasNumber = true
            return .number(digits: digits)
        }
        guard let letter = rest.popFirst() else { return nil }
        switch letter {
        case "%": return .text("%")
        case "f", "F": return .file(hasEnding: letter == "f")
        case "x": return .folder(fallback: "")
        case "X":
            guard rest.popFirst() == "{" else { return nil }
            return Self.readToBrace(&rest).map { .folder(fallback: $0) }
        case "p", "P": return .clock(hasMilliseconds: letter == "P")
        case "w": return rest.popFirst().flatMap { "HhMmSsfT".contains($0) ? .time($0) : nil }
        case "t":
            return rest.popFirst().flatMap { $0.isASCII && $0.isLetter ? .date($0) : nil }
        case "{":
            guard let words = Self.readToBrace(&rest) else { return nil }
            let halves = words.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let property = PlayerProperty(name: String(halves[0])) else {
                throw .unknownProperty(String(halves[0]))
            }
            return .property(property, fallback: halves.count == 2 ? String(halves[1]) : nil)
        default: return nil
        }
    }

    /// Parses `n`, `05n` or `#n`, and returns the number of digits.
    private mutating func readNumber(_ rest: inout Substring) -> Int? {
        var text = rest
        let isLowest = text.first == "#"
        if isLowest { text.removeFirst() }
        var digits = 4
        if text.first == "0", let digit = text.dropFirst().first?.wholeNumberValue, digit < 10 {
            digits = digit
            text = text.dropFirst(2)
        }
        guard text.popFirst() == "n" else { return nil }
        takesLowestNumber = takesLowestNumber || isLowest
        rest = text
        return digits
    }

    /// Returns the text up to the closing brace.
    private static func readToBrace(_ rest: inout Substring) -> String? {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        defer { rest = rest[end...].dropFirst() }
        return String(rest[..<end])
    }

    // MARK: Names

    /// Returns a path without an extension.
    package func path(number: Int, _ facts: Facts) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .number(let digits): Self.padded(number, to: digits)
            case .file(let hasEnding): Self.name(of: facts.file, hasEnding: hasEnding)
            case .folder(let fallback): Self.folder(of: facts.file) ?? fallback
            case .clock(let hasMilliseconds): Self.clock(facts.time, hasMilliseconds)
            case .time(let letter): Self.time(facts.time, letter)
            case .date(let letter): Self.flat(Self.date(facts.date, letter))
            case .property(let property, let fallback):
                Self.flat(facts.property(property) ?? fallback ?? "(unavailable)")
            }
        }.joined()
    }

    private static func padded(_ number: Int, to digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func flat(_ text: String) -> String {
        String(text.map { $0 == "/" ? "_" : $0 })
    }

    private static func name(of file: String, hasEnding: Bool) -> String {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        guard !hasEnding, let dot = name.lastIndex(of: "."), dot > name.startIndex else {
            return name
        }
        return String(name[..<dot])
    }

    /// Returns the directory of a local file, or nil if the file is not local.
    private static func folder(of file: String) -> String? {
        guard !file.contains("://"), file != "-" else { return nil }
        guard let slash = file.lastIndex(of: "/") else { return "./" }
        return String(file[...slash])
    }

    private static func clock(_ time: MediaTime, _ hasMilliseconds: Bool) -> String {
        let text = ["H", "M", "S"].map { Self.time(time, $0) }.joined(separator: ":")
        return hasMilliseconds ? text + "." + Self.time(time, "T") : text
    }

    private static func time(_ time: MediaTime, _ letter: Character) -> String {
        let milliseconds =
            time.isNumeric
            ? max(0, time.converted(toTimescale: 1000, method: .roundTowardNegativeInfinity).value)
            : 0
        let seconds = Int(milliseconds / 1000)
        switch letter {
        case "H": return padded(seconds / 3600, to: 2)
        case "h": return String(seconds / 3600)
        case "M": return padded(seconds / 60 % 60, to: 2)
        case "m": return String(seconds / 60)
        case "S": return padded(seconds % 60, to: 2)
        case "s": return String(seconds)
        case "f": return "\(seconds)." + padded(Int(milliseconds % 1000), to: 3)
        default: return padded(Int(milliseconds % 1000), to: 3)
        }
    }

    /// Formats a date with strftime(3), in the local time zone.
    private static func date(_ seconds: Int, _ letter: Character) -> String {
        var (time, fields) = (time_t(seconds), tm())
        localtime_r(&time, &fields)
        var text = [CChar](repeating: 0, count: 256)
        let count = strftime(&text, text.count, "%\(letter)", &fields)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
