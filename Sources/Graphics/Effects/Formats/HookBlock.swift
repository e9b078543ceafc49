// SPDX-License-Identifier: Apache-2.0

/// A block of an mpv shader: its `//!` lines and the text below them.
struct HookBlock {
    /// A `PARAM` block: a number that a person sets.
    struct Parameter {
        let name: String
        let line: Int
        var type = ""
        var minimum: Float?
        var maximum: Float?
    }

    let path: String
    var hooks: [(stage: HookChain.Stage, line: Int)] = []
    var bindings: [(name: String, line: Int)] = []
    var saved: String?
    var summary = ""
    var width: (text: String, line: Int)?
    var height: (text: String, line: Int)?
    var condition: (text: String, line: Int)?
    var parameter: Parameter?
    /// The text, and the line that it begins in.
    var body = ""
    var bodyLine = 0

    /// Splits a file: a block goes from the first `//!` line after text to the next such.
    ///
    /// - Throws: `EffectError.unsupported` for lines that are not followed here.
    static func blocks(of text: String, path: String) throws(EffectError) -> [HookBlock] {
        var blocks: [HookBlock] = []
        var isInHeader = false
        for (index, line) in ShaderText.lines(text).enumerated() {
            if line.hasPrefix("//!") {
                if !isInHeader { blocks.append(HookBlock(path: path)) }
                isInHeader = true
                try blocks[blocks.count - 1].read(line.dropFirst(3), line: index + 1)
            } else if !blocks.isEmpty {
                if isInHeader { blocks[blocks.count - 1].bodyLine = index + 1 }
                isInHeader = false
                blocks[blocks.count - 1].body += line + "\n"
            }
        }
        return blocks
    }

    private init(path: String) { self.path = path }

    private mutating func read(_ text: Substring, line: Int) throws(EffectError) {
        let key = text.prefix { !$0.isWhitespace }
        let value = String(ShaderText.trimmed(text.dropFirst(key.count)))
        func unsupported(_ reason: String) -> EffectError {
            .unsupported(path: path, line: line, reason: reason)
        }
        switch key {
        case "HOOK":
            guard let stage = HookChain.Stage(rawValue: value == "MAINPRESUB" ? "MAIN" : value)
            else {
                throw unsupported(
                    "the stage '\(value)' is not supported; stages are "
                        + HookChain.Stage.allCases.map(\.rawValue).joined(separator: ", "))
            }
            hooks.append((stage, line))
        case "BIND": bindings.append((value, line))
        case "SAVE": saved = value
        case "DESC": summary = value
        case "WIDTH": width = (value, line)
        case "HEIGHT": height = (value, line)
        case "WHEN": condition = (value, line)
        // Pictures have four channels in any case.
        case "COMPONENTS":
            guard let count = Int(value), (1...4).contains(count) else {
                throw unsupported("COMPONENTS takes a number from 1 to 4")
            }
        // Every picture lies where the film does, so none is to be moved back.
        case "OFFSET" where value == "ALIGN": break
        case "OFFSET":
            throw unsupported(
                "OFFSET takes ALIGN; pictures that are moved by pixels are not supported")
        case "PARAM": parameter = Parameter(name: value, line: line)
        case "TYPE": parameter?.type = value
        case "MINIMUM", "MAXIMUM":
            guard let number = Float(value), number.isFinite else {
                throw unsupported("\(key) takes a number")
            }
            if key == "MINIMUM" { parameter?.minimum = number } else { parameter?.maximum = number }
        default:
            throw unsupported(
                "'//!\(key)' is not supported; HOOK, BIND, SAVE, DESC, WIDTH, HEIGHT, WHEN, "
                    + "COMPONENTS, OFFSET ALIGN and PARAM are")
        }
    }
}
