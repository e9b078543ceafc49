// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `playhead effect lint FX …`: compiles effects and reports errors and warnings.
struct EffectLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Compile effects, and report errors and warnings.",
        discussion: """
            Compiles and links with the OpenGL driver, or with glslangValidator if there is no \
            OpenGL. Errors are lines such as 'glow.fs:12:5: error: …', followed by the source line \
            and a caret.

            EXIT STATUS: 0 if all effects compile; 4 if one does not; otherwise 2 if a file cannot \
            be read, or 1 if a name is not that of a built-in effect.

            EXAMPLES:
              playhead effect lint glow.fs
              playhead effect lint *.fs --json
            """)

    @Argument(
        help: "Built-in names, or paths of effect files.", completion: .effect)
    var effects: [String]

    @Option(
        help: ArgumentHelp(
            "Format of the files: \(FormatArgument.names). Detected from their contents by "
                + "default.",
            valueName: "format"),
        completion: FormatArgument.completion,
        transform: FormatArgument.init(argument:))
    var format: FormatArgument?

    @Flag(help: "Print JSON, for editors.")
    var json = false

    @Flag(help: "Require the OpenGL driver; do not fall back to glslangValidator.")
    var driver = false

    /// The result for one effect.
    private struct Result: Encodable {
        let effect: String
        let compiler: String
        let diagnostics: [Finding]
        /// The exit status if the effect cannot be read; nil if it can.
        var absence: ExitStatus?

        var status: ExitStatus {
            let hasErrors = diagnostics.contains { $0.severity == "error" }
            return absence ?? (hasErrors ? .effectFailure : .success)
        }

        enum CodingKeys: CodingKey { case effect, compiler, diagnostics }
    }

    private struct Finding: Encodable {
        let path: String
        let line: Int?
        let column: Int?
        let severity: String
        let message: String
        /// The excerpt of the source; nil in output for editors, which show the line themselves.
        var excerpt: String?

        init(_ diagnostic: ShaderDiagnostic) {
            path = diagnostic.path
            line = diagnostic.line
            column = diagnostic.column
            severity = diagnostic.isWarning ? "warning" : "error"
            message = diagnostic.message
            excerpt = diagnostic.excerpt
        }

        init(_ path: String, _ line: Int?, _ column: Int?, _ message: String) {
            self.path = path
            self.line = line
            self.column = column
            severity = "error"
            self.message = message
        }

        enum CodingKeys: CodingKey { case path, line, column, severity, message }

        var text: String {
            excerpt ?? path + (line.map { ":\($0)" } ?? "") + (column.map { ":\($0)" } ?? "")
                + ": error: " + message
        }
    }

    func run() throws {
        let compiler = try Self.compiler(needsDriver: driver)
        var results: [Result] = []
        for name in effects {
            let result = try lint(name, compiler)
            results.append(result)
            if !json {
                for finding in result.diagnostics { Console.print(finding.text) }
                if result.status == .success {
                    Console.print("\(name): compiles (\(compiler.name))")
                }
            }
        }
        if json { Console.print(try Console.json(results, pretty: true)) }
        if let worst = results.map(\.status.rawValue).max(), worst > 0 { throw ExitCode(worst) }
    }

    /// Returns the driver's compiler, whose result is decisive. Without OpenGL, returns glslang.
    private static func compiler(needsDriver: Bool) throws -> any EffectCompiler {
        do {
            return try DriverCompiler()
        } catch {
            guard !needsDriver, let glslang = GLSLangCompiler() else { throw error }
            return glslang
        }
    }

    private func lint(_ name: String, _ compiler: any EffectCompiler) throws -> Result {
        let findings: [Finding]
        var absence: ExitStatus?
        do throws(EffectError) {
            let effect = try EffectLibrary.load(name, format: format?.format)
            findings = (effect.warnings + compiler.diagnostics(of: effect)).map { Finding($0) }
        } catch {
            switch error {
            case .malformedHeader(let path, let line, let column, let reason):
                findings = [Finding(path, line, column, reason)]
            case .beyondLimit(let path, let line, let reason),
                .unsupported(let path, let line, let reason),
                .inaccessible(let path, let line, let reason):
                findings = [Finding(path, line, nil, reason)]
            case .unreadable, .notFound:
                // The other files are still checked.
                absence = ToolError(error).status
                let message = "\(error)"
                let prefix = "\(name): "
                findings = [
                    Finding(
                        name, nil, nil,
                        message.hasPrefix(prefix)
                            ? String(message.dropFirst(prefix.count)) : message)
                ]
            default: throw error
            }
        }
        return Result(
            effect: name, compiler: compiler.name, diagnostics: findings, absence: absence)
    }
}
