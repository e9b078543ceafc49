// SPDX-License-Identifier: Apache-2.0

/// A message of a shader compiler about a line of a file.
public struct ShaderDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The author's file.
    public let path: String
    /// From 1; nil when the driver does not say.
    public let line: Int?
    /// From 1; nil when the driver does not say, as most do not.
    public private(set) var column: Int?
    /// A Boolean value that indicates whether the shader compiles nevertheless.
    public let isWarning: Bool
    /// The driver's words, or ours.
    public internal(set) var message: String
    /// The line of the file; nil where it is not known.
    package private(set) var sourceLine: String?

    /// Creates an error about a file as a whole.
    package init(path: String, message: String) {
        self.init(path: path, line: nil, column: nil, isWarning: false, message: message)
    }

    init(path: String, line: Int?, column: Int?, isWarning: Bool, message: String) {
        self.path = path
        self.line = line
        self.column = column
        self.isWarning = isWarning
        self.message = message
    }

    /// In the form that editors know: `path:line:column: error: message`.
    public var description: String {
        var place = path
        if let line { place += ":\(line)" }
        if let column { place += ":\(column)" }
        return "\(place): \(isWarning ? "warning" : "error"): \(message)"
    }

    /// The description, followed by the line of the file and a caret below the place.
    public var excerpt: String {
        guard let sourceLine else { return description }
        var text = description + "\n    " + sourceLine
        if let column {
            // Tabs stay tabs, so that the caret stands where it should however wide they are.
            let before = sourceLine.prefix(column - 1).map { $0 == "\t" ? "\t" : " " as Character }
            text += "\n    " + String(before) + "^"
        }
        return text
    }

    /// The same with the line of the file and, where the message quotes a word that stands in it,
    /// that word's column. Drivers count columns behind their preprocessor, where macros have been
    /// replaced, or not at all.
    ///
    /// - Parameter sources: with their lines.
    func located(in sources: [(source: ShaderSource, lines: [Substring])]) -> ShaderDiagnostic {
        guard let line else { return self }
        var located = self
        // The last piece that begins at or before the line holds it: pieces of a file are in order.
        let piece = sources.last {
            $0.source.path == path && $0.source.firstLine <= line
                && line < $0.source.firstLine + $0.lines.count
        }
        guard let piece else { return self }
        let text = piece.lines[line - piece.source.firstLine]
        guard text.utf8.count <= Self.longestLine else { return self }
        located.sourceLine = String(text)
        let bytes = Array(ShaderText.withoutComments(String(text)).utf8)
        let places =
            quotedWords.lazy.map { ShaderText.ranges(of: $0, in: bytes) }
            .first { !$0.isEmpty } ?? []
        let columns = places.map { $0.lowerBound + 1 }
        if let column, columns.count > 1 {
            located.column = columns.min { abs($0 - column) < abs($1 - column) }
        } else if let first = columns.first {
            located.column = first
        } else {
            // Mesa's preprocessor makes one space of an indentation.
            let indentation = bytes.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? 0
            let isInLine = (column ?? 0) > indentation && (column ?? 0) <= bytes.count + 1
            if !isInLine { located.column = indentation + 1 }
        }
        return located
    }

    /// The same with what to do, where an author looks a picture up as one looks up a cube map or a
    /// volume, of which Shadertoy has some, or declares what is declared already.
    ///
    /// - Parameter declared: the names of that.
    func explained(in format: EffectFormat, declared: Set<String>) -> ShaderDiagnostic {
        let lookups = ["texture(sampler2D, vec3", "textureLod(sampler2D, vec3"]
        if format == .shadertoy,
            lookups.contains(where: { ShaderText.firstRange(of: $0, in: message) != nil })
        {
            var explained = self
            explained.message =
                "cube maps and volumes are not supported: "
                + "channels are pictures, looked up by a vec2"
            return explained
        }
        let words = ["redeclar", "redefin", "conflicts with previous declaration"]
        guard words.contains(where: { ShaderText.firstRange(of: $0, in: message) != nil }),
            let name = quotedWords.first(where: declared.contains)
        else { return self }
        var explained = self
        explained.message =
            "'\(name)' is declared already, for the header or the format gives it: "
            + "take this declaration away"
        return explained
    }

    /// Identifiers that the message quotes, in any driver's way: `` `a' ``, 'a' and "a".
    private var quotedWords: [String] {
        message.split(omittingEmptySubsequences: false) { "'\"`".contains($0) }
            .enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element.prefix { $0 != "(" }) }
            .filter { !$0.isEmpty && $0.utf8.allSatisfy(ShaderText.isWord) }
    }

    /// What the number of a file is multiplied by where it is told in the number of a line; no text
    /// that is let through has as many lines.
    static let linesPerFile = 1_000_000

    /// Bytes of a line that is shown: nobody reads longer ones.
    private static let longestLine = 4096

    /// Errors, and warnings, after which a log is not read on: nobody reads more, and each is
    /// looked for in the text.
    private static let mostDiagnostics = 200

    /// Reads a driver's log.
    ///
    /// The three dialects: Mesa's `0:12(5): error: text`, NVIDIA's `0(12) : error C1008: text`, and
    /// `ERROR: 0:12: text` of everyone else. Lines in no dialect belong to the one before.
    ///
    /// - Parameter paths: the file of each source string number, as `#line` gave them out.
    package static func parse(log: String, paths: [String]) -> [ShaderDiagnostic] {
        var diagnostics: [ShaderDiagnostic] = []
        var candidates: [String] = []
        var (warnings, errors) = (0, 0)
        for line in log.split(whereSeparator: { $0 == "\n" || $0 == "\0" || $0 == "\r" }) {
            if let (diagnostic, isCandidate) = parse(line: line, paths: paths) {
                if isCandidate, diagnostics.last?.message.hasSuffix(candidatesFollow) == true {
                    candidates.append(diagnostic.message)
                    continue
                }
                diagnostics.takeCandidates(&candidates)
                if diagnostic.isWarning { warnings += 1 } else { errors += 1 }
                guard errors <= mostDiagnostics else { break }
                if diagnostic.isWarning, warnings > mostDiagnostics { continue }
                diagnostics.append(diagnostic)
            }
        }
        diagnostics.takeCandidates(&candidates)
        diagnostics.removeEchoes()
        if diagnostics.isEmpty {
            let lines = log.split(whereSeparator: \.isNewline)
            diagnostics.append(
                ShaderDiagnostic(
                    path: paths.first ?? "shader",
                    message: lines.map { $0.hasPrefix("error: ") ? $0.dropFirst(7) : $0 }
                        .joined(separator: "; ")))
        }
        return diagnostics
    }

    /// - Returns: also whether it is one of the functions that the message before offers: Mesa
    ///   writes each as an error of its own, indented.
    private static func parse(
        line: Substring, paths: [String]
    ) -> (diagnostic: ShaderDiagnostic, isCandidate: Bool)? {
        var scanner = Scanner(rest: line)
        var isWarning = false
        let hasPrefix = scanner.take("ERROR:") || scanner.take("WARNING:")
        if hasPrefix { isWarning = line.hasPrefix("WARNING") }
        scanner.skipSpaces()
        guard var source = scanner.number() else { return nil }
        var column: Int?
        let lineNumber: Int?
        if scanner.take(":") {
            lineNumber = scanner.number()
            if !hasPrefix, scanner.take("(") {
                column = scanner.number()
                guard scanner.take(")") else { return nil }
            }
        } else if scanner.take("(") {
            lineNumber = scanner.number()
            guard scanner.take(")") else { return nil }
        } else {
            return nil
        }
        guard var lineNumber else { return nil }
        if lineNumber > linesPerFile {
            source = lineNumber / linesPerFile
            lineNumber %= linesPerFile
        }
        scanner.skipSpaces()
        guard scanner.take(":") else { return nil }
        scanner.skipSpaces()
        if scanner.take("warning") {
            isWarning = true
        } else {
            _ = scanner.take("error")
        }
        // NVIDIA's error code stays in front of the text: people search for it.
        scanner.skipSpaces()
        _ = scanner.take(":")
        let isCandidate = scanner.rest.hasPrefix("    ")
        scanner.skipSpaces()
        let diagnostic = ShaderDiagnostic(
            path: paths.indices.contains(source) ? paths[source] : "shader", line: lineNumber,
            column: column, isWarning: isWarning, message: scanner.trimmed)
        return (diagnostic, isCandidate)
    }

    /// The end of Mesa's messages that functions follow.
    fileprivate static let candidatesFollow = "; candidates are:"

    /// Whether it says only that something was wrong before: glslang's last line, and what Mesa
    /// says of every expression with a mistake in it, whose type is `error`.
    fileprivate var isEcho: Bool {
        message == "'' : compilation terminated"
            || ShaderText.firstRange(of: "type error", in: message) != nil
            || message.hasPrefix("no matching function") && hasArgumentWithError
    }

    /// Whether the call that it quotes has an argument of Mesa's type `error`, as in `f(vec4,
    /// error)`.
    private var hasArgumentWithError: Bool {
        guard let open = message.firstIndex(of: "(") else { return false }
        return message[open...].dropFirst().prefix { $0 != ")" }.split(separator: ",")
            .contains { ShaderText.trimmed($0) == "error" }
    }

    /// Whether Mesa says it of numbers that are none, or of an operand with a mistake in it.
    fileprivate var mayBeEcho: Bool {
        message == "operands to arithmetic operators must be numeric" || message == "type mismatch"
            || message.hasSuffix("from a non-numeric data type")
    }

    private struct Scanner {
        var rest: Substring

        mutating func take(_ text: String) -> Bool {
            guard rest.hasPrefix(text) else { return false }
            rest = rest.dropFirst(text.count)
            return true
        }

        /// The rest, without trailing spaces.
        var trimmed: String {
            String(
                rest[..<(rest.lastIndex { $0 != " " }.map(rest.index(after:)) ?? rest.startIndex)])
        }

        mutating func skipSpaces() { rest = rest.drop { $0 == " " } }

        mutating func number() -> Int? {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            return Int(digits)
        }
    }
}

extension [ShaderDiagnostic] {
    /// More functions than these are a built-in one's, in all its forms.
    private static let mostCandidates = 4

    /// Puts the functions that the last message offers behind it; of too many none.
    fileprivate mutating func takeCandidates(_ candidates: inout [String]) {
        guard !candidates.isEmpty, var last = popLast() else { return }
        if candidates.count <= Self.mostCandidates {
            last.message += " " + candidates.joined(separator: ", ")
        } else {
            last.message.removeLast(ShaderDiagnostic.candidatesFollow.count)
        }
        append(last)
        candidates = []
    }

    /// Leaves out what only follows from what is said besides.
    fileprivate mutating func removeEchoes() {
        if contains(where: { !$0.isEcho && !$0.isWarning }) { removeAll(where: \.isEcho) }
        let causes = Set(
            lazy.filter { !$0.mayBeEcho && !$0.isWarning }.map { [$0.path, "\($0.line ?? 0)"] })
        removeAll { $0.mayBeEcho && causes.contains([$0.path, "\($0.line ?? 0)"]) }
    }
}
