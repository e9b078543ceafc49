// SPDX-License-Identifier: Apache-2.0

/// A block of an mpv shader: its `//!` lines and the text below them.
struct HookBlock {
    /// A `PARAM` block: a numeric value that users set.
    struct Parameter {
        let name: String
        let line: Int
        var type = ""
        var minimum: Float?
        var maximum: Float?
    }

    /// A `TEXTURE` block, which contains a table of numbers.
    struct Table {
        let name: String
        let line: Int
        var size: [Int] = []
        var format: (text: String, line: Int)?
        var isLinear = false
        /// The `STORAGE` line, or nil for a table that shaders only read.
        var storageLine: Int?
        var border = EffectTable.Border.clamp
    }

    /// An `OFFSET` line: the shift that the block causes in the image.
    enum Offset {
        case align
        case pixels(SIMD2<Double>)
    }

    let path: String
    var hooks: [(stage: HookChain.Stage, line: Int)] = []
    var bindings: [(name: String, line: Int)] = []
    var saved: String?
    var summary = ""
    var width: (text: String, line: Int)?
    var height: (text: String, line: Int)?
    var condition: (text: String, line: Int)?
    var offset: Offset?
    /// The `COMPUTE` line: the block of pixels that a work group writes, and the group's threads.
    var compute: (size: EffectPass.Compute, line: Int)?
    var parameter: Parameter?
    var table: Table?
    /// The text below the `//!` lines, and the number of its first line.
    var body = ""
    var bodyLine = 0

    /// Splits a file into blocks. A block ends at the first `//!` line that follows other text.
    ///
    /// - Throws: `EffectError.unsupported` for unsupported lines.
    static func blocks(of text: String, path: String) throws(EffectError) -> [HookBlock] {
        var blocks: [HookBlock] = []
        var isInHeader = false
        for (index, line) in ShaderText.lines(text).enumerated() {
            let directive = line.drop { $0 == " " || $0 == "\t" }
            if directive.hasPrefix("//!") {
                if !isInHeader { blocks.append(HookBlock(path: path)) }
                isInHeader = true
                try blocks[blocks.count - 1].read(directive.dropFirst(3), line: index + 1)
            } else if !blocks.isEmpty {
                if isInHeader { blocks[blocks.count - 1].bodyLine = index + 1 }
                isInHeader = false
                blocks[blocks.count - 1].body += line
                blocks[blocks.count - 1].body += "\n"
            }
        }
        return blocks
    }

    private init(path: String) { self.path = path }

    private func unsupported(_ line: Int, _ reason: String) -> EffectError {
        .unsupported(path: path, line: line, reason: reason)
    }

    private mutating func read(_ text: Substring, line: Int) throws(EffectError) {
        let key = text.prefix { !$0.isWhitespace }
        let value = String(ShaderText.trimmed(text.dropFirst(key.count)))
        let words = value.split(whereSeparator: \.isWhitespace).map { String($0) }
        switch key {
        case "HOOK":
            guard let stage = HookChain.Stage(rawValue: value) else {
                throw unsupported(
                    line,
                    "the stage '\(value)' is not supported; supported stages are "
                        + HookChain.Stage.allCases.map(\.rawValue).joined(separator: ", "))
            }
            hooks.append((stage, line))
        case "BIND": bindings.append((value, line))
        case "SAVE": saved = try name(value, line: line)
        case "DESC": summary = value
        case "WIDTH": width = (value, line)
        case "HEIGHT": height = (value, line)
        case "WHEN": condition = (value, line)
        // Components are ignored, because images always have four channels.
        case "COMPONENTS":
            guard let count = Int(value), (1...4).contains(count) else {
                throw unsupported(line, "COMPONENTS takes a number from 1 to 4, not '\(value)'")
            }
        case "OFFSET" where value == "ALIGN": offset = .align
        case "OFFSET":
            let numbers = words.compactMap { Double($0) }.filter { abs($0) <= 1024 }
            guard words.count == 2, numbers.count == 2 else {
                throw unsupported(
                    line, "OFFSET takes ALIGN or two numbers of pixels, not '\(value)'")
            }
            offset = .pixels(SIMD2(numbers[0], numbers[1]))
        case "COMPUTE": compute = (try compute(words, line: line), line)
        case "PARAM": parameter = Parameter(name: try name(value, line: line), line: line)
        case "TYPE": parameter?.type = value
        case "MINIMUM", "MAXIMUM":
            guard let number = Float(value), number.isFinite else {
                throw unsupported(line, "\(key) takes a number, not '\(value)'")
            }
            if key == "MINIMUM" { parameter?.minimum = number } else { parameter?.maximum = number }
        case "TEXTURE": table = Table(name: try name(value, line: line), line: line)
        case "SIZE", "FORMAT", "FILTER", "BORDER":
            try readTable(key, value, words, line: line)
        case "STORAGE":
            guard table != nil else {
                throw unsupported(line, "STORAGE is valid only in a TEXTURE block")
            }
            table?.storageLine = line
        default:
            throw unsupported(
                line,
                "'//!\(key)' is not supported; use HOOK, BIND, SAVE, DESC, WIDTH, HEIGHT, WHEN, "
                    + "COMPONENTS, OFFSET, COMPUTE, TEXTURE, SIZE, FORMAT, FILTER, BORDER, "
                    + "STORAGE or PARAM")
        }
    }

    /// Returns a name that becomes a part of the shader. The loops of the shader are guarded, but
    /// not its declarations, which therefore must not contain anything else.
    private func name(_ text: String, line: Int) throws(EffectError) -> String {
        guard let first = text.utf8.first, !ShaderText.isDigit(first),
            text.utf8.allSatisfy(ShaderText.isWord)
        else {
            throw unsupported(
                line,
                "'\(text.prefix(64))' is not a name; use letters, digits and underscores")
        }
        return text
    }

    /// The number of threads in a work group that every driver supports: OpenGL 4.3 core, table
    /// 23.60.
    private static let maximumThreadCount = 1024
    /// The maximum side of the block of pixels that a group writes.
    private static let maximumGroupSide = 8192

    private func compute(
        _ words: [String], line: Int
    ) throws(EffectError) -> EffectPass.Compute {
        let numbers = words.compactMap { Int($0) }.filter {
            (1...Self.maximumGroupSide).contains($0)
        }
        guard words.count == 2 || words.count == 4, numbers.count == words.count else {
            throw unsupported(
                line,
                "COMPUTE takes two or four numbers: the width and height of a block, and "
                    + "optionally its number of threads in x and y"
            )
        }
        let threads = Array(numbers.suffix(2))
        guard threads[0] * threads[1] <= Self.maximumThreadCount else {
            throw unsupported(
                line,
                "COMPUTE requests \(threads[0] * threads[1]) threads; "
                    + "at most \(Self.maximumThreadCount) are supported")
        }
        return EffectPass.Compute(
            blockWidth: numbers[0], blockHeight: numbers[1], threadsX: threads[0],
            threadsY: threads[1])
    }

    private mutating func readTable(
        _ key: Substring, _ value: String, _ words: [String], line: Int
    ) throws(EffectError) {
        guard table != nil else {
            throw unsupported(line, "\(key) is valid only in a TEXTURE block")
        }
        switch key {
        case "SIZE":
            let numbers = words.compactMap { Int($0) }.filter { (1...16_384).contains($0) }
            guard (1...3).contains(words.count), numbers.count == words.count else {
                throw unsupported(line, "SIZE takes one to three numbers, not '\(value)'")
            }
            table?.size = numbers
        case "FORMAT": table?.format = (value, line)
        case "FILTER":
            guard value == "LINEAR" || value == "NEAREST" else {
                throw unsupported(line, "FILTER takes LINEAR or NEAREST, not '\(value)'")
            }
            table?.isLinear = value == "LINEAR"
        default:
            guard let border = EffectTable.Border(rawValue: value) else {
                throw unsupported(line, "BORDER takes CLAMP, REPEAT or MIRROR, not '\(value)'")
            }
            table?.border = border
        }
    }
}
