// SPDX-License-Identifier: Apache-2.0

/// What a driver's compiler has to say about a line of a shader file.
public struct ShaderDiagnostic: Sendable, Hashable, CustomStringConvertible {
    public let path: String
    /// From 1; nil when the driver does not say.
    public let line: Int?
    /// From 1; nil when the driver does not say, as most do not.
    public let column: Int?
    public let isWarning: Bool
    public let message: String

    /// In the form that editors know: `path:line:column: error: message`.
    public var description: String {
        var place = path
        if let line { place += ":\(line)" }
        if let column { place += ":\(column)" }
        return "\(place): \(isWarning ? "warning" : "error"): \(message)"
    }

    /// Reads a driver's log.
    ///
    /// The three dialects: Mesa's `0:12(5): error: text`, NVIDIA's `0(12) : error C1008: text`, and
    /// `ERROR: 0:12: text` of everyone else. Lines in no dialect belong to the one before.
    ///
    /// - Parameter paths: the file of each source string number, as `#line` gave them out.
    public static func parse(log: String, paths: [String]) -> [ShaderDiagnostic] {
        var diagnostics: [ShaderDiagnostic] = []
        for line in log.split(whereSeparator: { $0 == "\n" || $0 == "\0" || $0 == "\r" }) {
            if let diagnostic = parse(line: line, paths: paths) {
                diagnostics.append(diagnostic)
            }
        }
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
        guard let source = scanner.number() else { return nil }
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
        guard let lineNumber else { return nil }
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
            column: column, isWarning: isWarning, message: String(scanner.rest))
    }

    private struct Scanner {
        var rest: Substring

        mutating func take(_ text: String) -> Bool {
            guard rest.hasPrefix(text) else { return false }
            rest = rest.dropFirst(text.count)
            return true
        }

        mutating func skipSpaces() { rest = rest.drop { $0 == " " } }

        mutating func number() -> Int? {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            return Int(digits)
        }
    }
}
