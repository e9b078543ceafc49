// SPDX-License-Identifier: Apache-2.0

public import PlayheadGL

/// An error in an effect or in a value of one of its inputs.
public enum EffectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No built-in effect and no file has this name.
    case notFound(name: String, builtIn: [String])
    /// The file cannot be read; `reason` is the message of the system.
    case unreadable(path: String, reason: String)
    /// The JSON header of the file is missing or malformed.
    case malformedHeader(path: String, line: Int, column: Int?, reason: String)
    /// The file exceeds a limit that protects drivers.
    case beyondLimit(path: String, line: Int?, reason: String)
    /// The file uses a feature that is not supported.
    case unsupported(path: String, line: Int?, reason: String)
    /// A file that the effect names is missing or outside the effect's folder.
    case inaccessible(path: String, line: Int?, reason: String)
    /// The shader does not compile.
    case compilation(effect: String, diagnostics: [ShaderDiagnostic])
    /// A pass occupies the GPU for too long. The effect is bypassed and tried again later. Passes
    /// are counted from 0.
    case tooSlow(effect: String, pass: Int, milliseconds: Int)
    /// The effect has no such input.
    case unknownInput(effect: String, input: String, known: [String])
    /// The input takes another type of value.
    case wrongType(effect: String, input: String, expected: EffectInput.Kind)
    /// OpenGL reported an error.
    case gl(GLError)

    public var description: String {
        switch self {
        case .notFound(let name, let builtIn):
            "no effect is named '\(name)'; use the path of a file, or one of "
                + builtIn.joined(separator: ", ")
        case .unreadable(let path, let reason):
            "\(path): cannot be read: \(reason)"
        case .malformedHeader(let path, let line, let column, let reason):
            "\(path):\(line)" + (column.map { ":\($0)" } ?? "") + ": error: \(reason)"
        case .beyondLimit(let path, let line, let reason),
            .unsupported(let path, let line, let reason),
            .inaccessible(let path, let line, let reason):
            path + (line.map { ":\($0)" } ?? "") + ": error: \(reason)"
        case .compilation(_, let diagnostics):
            diagnostics.map(\.description).joined(separator: "\n")
        case .tooSlow(let effect, let pass, let milliseconds):
            "effect '\(effect)' is bypassed: its pass \(pass) takes \(milliseconds) ms per frame; "
                + "it is tried again later"
        case .unknownInput(let effect, let input, let known):
            "effect '\(effect)' has no input '\(input)'; its inputs are "
                + known.joined(separator: ", ")
        case .wrongType(let effect, let input, let expected):
            "input '\(input)' of effect '\(effect)' takes \(Self.noun(expected))"
                + Self.swiftCase(expected)
        case .gl(let error):
            error.description
        }
    }

    /// The description, followed by the lines of the shader that do not compile, with a caret below
    /// each error.
    package var excerpt: String {
        guard case .compilation(_, let diagnostics) = self else { return description }
        return diagnostics.map(\.excerpt).joined(separator: "\n")
    }

    /// The case of `EffectValue` for programs that set a value; empty if none fits.
    private static func swiftCase(_ kind: EffectInput.Kind) -> String {
        switch kind {
        case .event, .bool, .long, .float, .point2D, .color, .image: " (in Swift, .\(kind))"
        case .audio, .audioFFT: ""
        }
    }

    private static func noun(_ kind: EffectInput.Kind) -> String {
        switch kind {
        case .event: "a trigger"
        case .bool: "a Boolean value: true or false"
        case .long: "a number or a label of its menu"
        case .float: "a number"
        case .point2D: "a point: two numbers separated by a comma"
        case .color: "a colour: #rrggbb, or three or four numbers from 0 to 1 separated by commas"
        case .image: "an image"
        case .audio, .audioFFT: "an audio source"
        }
    }
}
