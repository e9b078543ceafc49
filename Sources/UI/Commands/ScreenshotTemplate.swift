// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadTime

/// How screenshots are named: text in which some of what a film is stands for itself.
///
///     let template = try ScreenshotTemplate("%F-%wM.%wS-%n")
///     template.path(number: 3, facts)   // "film-01.02-0003"
///
/// | in the template | in the name |
/// |---|---|
/// | `%n`, `%05n` | a number that no file has yet, of four digits or as many; `%#n`, the lowest such |
/// | `%f` `%F` | the name of the film's file, with and without what follows its last dot |
/// | `%x`, `%X{else}` | the film's folder, with the slash that ends it; nothing, or this, where it has none |
/// | `%p` `%P` | where the film is, as `01:02:03` and `01:02:03.456` |
/// | `%wH` `%wh` `%wM` `%wm` `%wS` `%ws` `%wf` `%wT` | hours, of two digits or not; minutes, of the hour or all; seconds, of the minute, all, or with decimals; milliseconds |
/// | `%tX` | the date by strftime(3)'s `%X`: `%tY`, `%tm`, `%td`, `%tH` … |
/// | `%{property}`, `%{property:else}` | a property; this, where it has no value |
/// | `%%` | `%` |
///
/// What a film says of itself makes no folders: in it `/` becomes `_`.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: mpv's `--screenshot-template`.
package struct ScreenshotTemplate: Sendable, Hashable {
    /// What is known when a screenshot is taken.
    package struct Facts: Sendable {
        /// The film's path or address.
        package var file: String
        /// Where the film is.
        package var time: MediaTime
        /// Seconds since 1970.
        package var date: Int
        /// Gives a property as text; nil where it has no value. Called where the path is asked for.
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
    /// Whether names have a number, so that there is always another.
    package private(set) var hasNumber = false
    /// Whether numbers are used again whose files have gone.
    package private(set) var takesLowestNumber = false

    /// `playhead-%n`.
    package static let standard: ScreenshotTemplate = {
        var template = ScreenshotTemplate()
        template.parts = [.text("playhead-"), .number(digits: 4)]
        template.hasNumber = true
        return template
    }()

    private init() {}

    /// Reads a template.
    ///
    /// - Throws: `CommandError` for what is none of the table.
    package init(_ text: String) throws(CommandError) {
        var rest = text[...]
        while let percent = rest.firstIndex(of: "%") {
            if percent > rest.startIndex { parts.append(.text(String(rest[..<percent]))) }
            rest = rest[percent...].dropFirst()
            guard let part = try readPart(&rest) else {
                throw .wrongValue(
                    argument: "template", value: text,
                    expected: "after each % one of n f F x X p P w t { or %")
            }
            parts.append(part)
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        guard !parts.isEmpty else {
            throw .wrongValue(argument: "template", value: text, expected: "a name, such as %F-%n")
        }
    }

    /// Reads what follows a percent sign; nil where that is nothing of ours.
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

    /// `n`, `05n`, `#n`: how many digits the number has.
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

    /// What stands before the brace that closes.
    private static func readToBrace(_ rest: inout Substring) -> String? {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        defer { rest = rest[end...].dropFirst() }
        return String(rest[..<end])
    }

    // MARK: Names

    /// A name, which may have folders before it and has no ending.
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

    /// Nil of what is in no folder of this machine.
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

    /// strftime(3), in the machine's own time zone.
    private static func date(_ seconds: Int, _ letter: Character) -> String {
        var (time, fields) = (time_t(seconds), tm())
        localtime_r(&time, &fields)
        var text = [CChar](repeating: 0, count: 256)
        let count = strftime(&text, text.count, "%\(letter)", &fields)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
