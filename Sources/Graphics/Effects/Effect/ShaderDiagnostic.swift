// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// A message of a shader compiler about a line of a file.
public struct ShaderDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The path of the author's file.
    public let path: String
    /// The line number, from 1, or nil if the driver does not report one.
    public let line: Int?
    /// The column, from 1, or nil if the driver does not report a column. Most drivers do not.
    public private(set) var column: Int?
    /// A Boolean value that indicates whether the message is a warning, which does not prevent the
    /// shader from compiling.
    package let isWarning: Bool
    /// The message, from the driver or from this library.
    public internal(set) var message: String
    /// The text of the line, or nil if it is not known.
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

    /// The diagnostic in the form that editors parse: `path:line:column: error: message`.
    public var description: String {
        var place = path
        if let line { place += ":\(line)" }
        if let column { place += ":\(column)" }
        return "\(place): \(isWarning ? "warning" : "error"): \(message)"
    }

    /// The description, followed by the line of the file and a caret below the place.
    package var excerpt: String {
        guard let sourceLine else { return description }
        var text = description + "\n    " + sourceLine
        if let column {
            // Tabs are kept, so that the caret is below the right character at any tab width.
            let before = sourceLine.prefix(column - 1).map { $0 == "\t" ? "\t" : " " as Character }
            text += "\n    " + String(before) + "^"
        }
        return text
    }

    /// Returns the diagnostic with the text of its line. If the message quotes a word of that line,
    /// the column is set to the column of the word. Drivers report no column, or count columns in
    /// the preprocessed text, in which macros are expanded.
    ///
    /// - Parameter sources: The pieces of text with their lines.
    func located(in sources: [(source: ShaderSource, lines: [Substring])]) -> ShaderDiagnostic {
        guard let line else { return self }
        var located = self
        // Pieces of a file are in order, so the last one that begins at or before the line contains
        // it.
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
            // Mesa's preprocessor replaces an indentation by one space.
            let indentation = bytes.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? 0
            let isInLine = (column ?? 0) > indentation && (column ?? 0) <= bytes.count + 1
            if !isInLine { located.column = indentation + 1 }
        }
        return located
    }

    /// Returns the diagnostic with a remedy added in three cases: the author samples an image as a
    /// cube map or a volume, declares a name that already exists, or uses a name of the
    /// fixed-function pipeline.
    ///
    /// - Parameter declared: The names that already exist.
    func explained(
        in format: EffectFormat, declared: Set<String>, stage: GLShaderStage = .fragment
    ) -> ShaderDiagnostic {
        if let explained = explainedFixedFunction(in: stage) { return explained }
        let lookups = ["texture(sampler2D, vec3", "textureLod(sampler2D, vec3"]
        // NVIDIA's message does not name the function.
        let isCast =
            ShaderText.firstRange(of: "implicit cast from \"vec3\" to \"vec2\"", in: message) != nil
            && sourceLine.map { ShaderText.firstRange(of: "texture", in: $0) != nil } ?? false
        if format == .shadertoy,
            isCast || lookups.contains(where: { ShaderText.firstRange(of: $0, in: message) != nil })
        {
            var explained = self
            explained.message =
                "this channel is an image, sampled with a vec2; for a cube map, add "
                + "'#iChannel0 \"sky_{}.png\"'; volumes are not supported"
            return explained
        }
        let words = ["redeclar", "redefin", "conflicts with previous declaration"]
        guard words.contains(where: { ShaderText.firstRange(of: $0, in: message) != nil }),
            let name = quotedWords.first(where: declared.contains)
        else { return self }
        var explained = self
        explained.message =
            "'\(name)' is already declared by the header or the format; "
            + "remove this declaration"
        return explained
    }

    /// The identifiers that the message quotes, in the style of any driver: `` `a' ``, 'a' and "a".
    var quotedWords: [String] {
        message.split(omittingEmptySubsequences: false) { "'\"`".contains($0) }
            .enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element.prefix { $0 != "(" }) }
            .filter { !$0.isEmpty && $0.utf8.allSatisfy(ShaderText.isWord) }
    }

    /// The factor that encodes a file in a line number: the file number times this factor is added
    /// to the line number. A text within the limits has fewer lines than this.
    static let linesPerFile = 1_000_000

    /// The maximum length of a line that is shown, in bytes.
    private static let longestLine = 4096

    /// The number of errors and warnings after which the rest of a log is ignored. Each diagnostic
    /// is searched for in the text, so this limits the time.
    private static let mostDiagnostics = 200

    /// Parses the log of a driver.
    ///
    /// There are three formats: Mesa's `0:12(5): error: text`, NVIDIA's
    /// `0(12) : error C1008: text`, or `(0) : error C3001: text` about the whole shader, and
    /// `ERROR: 0:12: text` of all other drivers. A line in none of these formats belongs to the
    /// line before it.
    ///
    /// - Parameter paths: The path of the file for each source string number in the `#line`
    ///   directives.
    package static func parse(log: String, paths: [String]) -> [ShaderDiagnostic] {
        var diagnostics: [ShaderDiagnostic] = []
        var candidates: [String] = []
        var (warnings, errors) = (0, 0)
        for line in log.split(whereSeparator: { $0 == "\n" || $0 == "\0" || $0 == "\r" }) {
            if let (diagnostic, isCandidate) = parse(line: line, paths: paths) {
                if isCandidate, diagnostics.last?.hasCandidates == true {
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

    /// Parses one line of a log.
    ///
    /// - Returns: The diagnostic, and whether it is one of the candidates for the function call in
    ///   the preceding message. Mesa reports each candidate as an indented error, and NVIDIA as an
    ///   indented line without a severity.
    private static func parse(
        line: Substring, paths: [String]
    ) -> (diagnostic: ShaderDiagnostic, isCandidate: Bool)? {
        var scanner = Scanner(rest: line)
        var isWarning = false
        let hasPrefix = scanner.take("ERROR:") || scanner.take("WARNING:")
        if hasPrefix { isWarning = line.hasPrefix("WARNING") }
        scanner.skipSpaces()
        if scanner.take("(0) : error ") {
            let path = paths.first ?? "shader"
            return (ShaderDiagnostic(path: path, message: scanner.trimmed), false)
        }
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
        var hasSeverity = hasPrefix
        if scanner.take("warning") {
            (isWarning, hasSeverity) = (true, true)
        } else if scanner.take("error") {
            hasSeverity = true
        }
        // NVIDIA's error code is kept in the message, so that authors can search for it.
        scanner.skipSpaces()
        _ = scanner.take(":")
        let isCandidate =
            scanner.rest.hasPrefix("    ") || (!hasSeverity && line.hasPrefix("    "))
        scanner.skipSpaces()
        let diagnostic = ShaderDiagnostic(
            path: paths.indices.contains(source) ? paths[source] : "shader", line: lineNumber,
            column: column, isWarning: isWarning, message: scanner.trimmed)
        return (diagnostic, isCandidate)
    }

    /// The text with which Mesa ends a message that is followed by a list of candidate functions.
    fileprivate static let candidatesFollow = "; candidates are:"

    /// A Boolean value that indicates whether candidate functions may follow.
    fileprivate var hasCandidates: Bool {
        message.hasSuffix(Self.candidatesFollow)
            || ShaderText.firstRange(of: "overloaded function", in: message) != nil
    }

    /// A Boolean value that indicates whether the message only repeats that there was an error.
    /// Such messages are the last line of glslang's log, and Mesa's messages about expressions of
    /// type `error`.
    fileprivate var isEcho: Bool {
        message == "'' : compilation terminated"
            || ShaderText.firstRange(of: "type error", in: message) != nil
            || message.hasPrefix("no matching function") && hasArgumentWithError
    }

    /// A Boolean value that indicates whether the quoted call has an argument of Mesa's type
    /// `error`, as in `f(vec4, error)`.
    private var hasArgumentWithError: Bool {
        guard let open = message.firstIndex(of: "(") else { return false }
        return message[open...].dropFirst().prefix { $0 != ")" }.split(separator: ",")
            .contains { ShaderText.trimmed($0) == "error" }
    }

    /// A Boolean value that indicates whether the message may only repeat another message about its
    /// line. Mesa reports operands of a wrong type and operands that contain an error in the same
    /// way. NVIDIA's `C1056` follows each initial value of a wrong type, and `C1068` each wrong
    /// component.
    fileprivate var mayBeEcho: Bool {
        message.hasPrefix("C1056:") || message.hasPrefix("C1068:")
            || message == "operands to arithmetic operators must be numeric"
            || message == "type mismatch"
            || message.hasSuffix("from a non-numeric data type")
    }

    private struct Scanner {
        var rest: Substring

        mutating func take(_ text: String) -> Bool {
            guard rest.hasPrefix(text) else { return false }
            rest = rest.dropFirst(text.count)
            return true
        }

        /// The remaining text without trailing spaces.
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
    /// The maximum number of candidates that are shown. Only built-in functions, which have many
    /// overloads, have more.
    private static let mostCandidates = 4

    /// Appends the candidate functions to the last message, or none if there are too many.
    fileprivate mutating func takeCandidates(_ candidates: inout [String]) {
        guard !candidates.isEmpty, var last = popLast() else { return }
        if last.message.hasSuffix(ShaderDiagnostic.candidatesFollow) {
            last.message.removeLast(ShaderDiagnostic.candidatesFollow.count)
        }
        if candidates.count <= Self.mostCandidates {
            let list = candidates.joined(separator: ", ")
            last.message += "\(ShaderDiagnostic.candidatesFollow) \(list)"
        }
        append(last)
        candidates = []
    }

    /// Removes messages that only repeat others. NVIDIA's linker prints some messages several
    /// times.
    fileprivate mutating func removeEchoes() {
        var seen: Set<ShaderDiagnostic> = []
        removeAll { !seen.insert($0).inserted }
        if contains(where: { !$0.isEcho && !$0.isWarning }) { removeAll(where: \.isEcho) }
        let causes = Set(
            lazy.filter { !$0.mayBeEcho && !$0.isWarning }.map { [$0.path, "\($0.line ?? 0)"] })
        removeAll { $0.mayBeEcho && causes.contains([$0.path, "\($0.line ?? 0)"]) }
    }
}
