// SPDX-License-Identifier: Apache-2.0

/// What a driver's compiler has to say about a line of a shader file.
public struct ShaderDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The author's file.
    public let path: String
    /// From 1; nil when the driver does not say.
    public let line: Int?
    /// From 1; nil when the driver does not say, as most do not.
    public private(set) var column: Int?
    /// Whether it compiles all the same.
    public let isWarning: Bool
    /// The driver's words, or ours.
    public let message: String
    /// The line of the file; nil where it is not known.
    public private(set) var sourceLine: String?

    /// What is wrong with a file as a whole.
    public init(path: String, message: String) {
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

    /// The same with the line of the file below it, and a caret below the place.
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
    func located(in sources: [(source: Effect.Source, lines: [Substring])]) -> ShaderDiagnostic {
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
    public static func parse(log: String, paths: [String]) -> [ShaderDiagnostic] {
        var diagnostics: [ShaderDiagnostic] = []
        var (warnings, errors) = (0, 0)
        for line in log.split(whereSeparator: { $0 == "\n" || $0 == "\0" || $0 == "\r" }) {
            if let diagnostic = parse(line: line, paths: paths) {
                if diagnostic.isWarning { warnings += 1 } else { errors += 1 }
                guard errors <= mostDiagnostics else { break }
                if diagnostic.isWarning, warnings > mostDiagnostics { continue }
                diagnostics.append(diagnostic)
            }
        }
        if diagnostics.contains(where: { !$0.isEcho }) { diagnostics.removeAll(where: \.isEcho) }
        if diagnostics.isEmpty {
            diagnostics.append(
                ShaderDiagnostic(
                    path: paths.first ?? "shader", line: nil, column: nil, isWarning: false,
                    message: log.split(whereSeparator: \.isNewline).joined(separator: "; ")))
        }
        return diagnostics
    }

    private static func parse(line: Substring, paths: [String]) -> ShaderDiagnostic? {
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
        scanner.skipSpaces()
        return ShaderDiagnostic(
            path: paths.indices.contains(source) ? paths[source] : "shader", line: lineNumber,
            column: column, isWarning: isWarning, message: scanner.trimmed)
    }

    /// Whether it says only that something was wrong before: glslang's last line, and what Mesa says of
    /// every expression with a mistake in it.
    private var isEcho: Bool {
        message == "'' : compilation terminated" || message.hasSuffix("of type error")
    }

    private struct Scanner {
        var rest: Substring

        mutating func take(_ text: String) -> Bool {
            guard rest.hasPrefix(text) else { return false }
            rest = rest.dropFirst(text.count)
            return true
        }

        /// What is left, without spaces at its end.
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
