// SPDX-License-Identifier: Apache-2.0

extension CubeTable {
    /// Parses a file line by line. Like other readers, it accepts some deviations from the
    /// specification: titles without quotation marks, comments at the end of a line, and keywords
    /// in any case and in any place.
    struct Reader {
        let path: String
        private(set) var title = ""
        private(set) var takesVideoRange = false
        private(set) var givesVideoRange = false
        private var curves: Stage?
        private var cube: Stage?
        /// The rows of numbers: the rows of the curves, followed by the rows of the cube.
        private var colors: [SIMD3<Float>] = []
        /// The values of `DOMAIN_MIN` and `DOMAIN_MAX` for the first stage.
        private var low: SIMD3<Float>?
        private var high: SIMD3<Float>?
        /// The values of `INPUT_RANGE` for each stage.
        private var ranges: [Shape: (SIMD3<Float>, SIMD3<Float>)] = [:]
        private var line = 0
        /// The number of the last line that is not empty.
        private var last = 1

        /// The maximum number of levels on an axis. Common files have 17 to 65; a file with 128 has
        /// two million lines.
        private static let maximumCubeSize = 128
        /// The maximum length of a curve in the specification.
        private static let maximumCurveSize = 65_536

        init(path: String) { self.path = path }

        private func wrong(_ reason: String) -> EffectError {
            .malformedHeader(path: path, line: last, column: nil, reason: reason)
        }

        mutating func read(_ text: String) throws(EffectError) {
            for line in ShaderText.lines(text) {
                self.line += 1
                let words = Self.words(line)
                guard let first = words.first else { continue }
                last = self.line
                if let color = Self.color(words[...]) {
                    colors.append(color)
                } else {
                    try read(first.uppercased(), words, line)
                }
            }
        }

        private mutating func read(
            _ keyword: String, _ words: [Substring], _ line: Substring
        ) throws(EffectError) {
            let numbers = words.dropFirst().map { Float($0) }
            switch keyword {
            case "TITLE":
                let words = ShaderText.trimmed(ShaderText.trimmed(line).dropFirst("TITLE".count))
                title = String(
                    words.hasPrefix("\"") ? words.dropFirst().prefix { $0 != "\"" } : words)
            case "LUT_1D_SIZE", "LUT_3D_SIZE":
                try readSize(of: keyword == "LUT_1D_SIZE" ? .curves : .cube, keyword, words)
            case "DOMAIN_MIN", "DOMAIN_MAX":
                guard let color = Self.color(words.dropFirst()) else {
                    throw wrong("\(keyword) takes three numbers")
                }
                if keyword == "DOMAIN_MIN" { low = color } else { high = color }
            case "LUT_1D_INPUT_RANGE", "LUT_3D_INPUT_RANGE":
                guard numbers.count == 2, let low = numbers[0], let high = numbers[1],
                    Self.isPossible(low), Self.isPossible(high)
                else { throw wrong("\(keyword) takes two numbers") }
                ranges[keyword == "LUT_1D_INPUT_RANGE" ? .curves : .cube] = (
                    SIMD3(repeating: low), SIMD3(repeating: high)
                )
            case "LUT_IN_VIDEO_RANGE": takesVideoRange = true
            case "LUT_OUT_VIDEO_RANGE": givesVideoRange = true
            default: throw wrong("expected a keyword or three numbers")
            }
        }

        private mutating func readSize(
            of shape: Shape, _ keyword: String, _ words: [Substring]
        ) throws(EffectError) {
            guard (shape == .cube ? cube : curves) == nil,
                let size = words.dropFirst().first.flatMap({ Int($0) }), size >= 2
            else { throw wrong("expected one \(keyword) line with a number of at least 2") }
            guard shape == .cube || cube == nil || colors.isEmpty else {
                throw wrong(
                    "the one-dimensional LUT must precede the three-dimensional LUT")
            }
            let limit = shape == .cube ? Self.maximumCubeSize : Self.maximumCurveSize
            guard size <= limit else {
                throw .beyondLimit(
                    path: path, line: line,
                    reason: "the LUT has \(size) levels; the maximum is \(limit)")
            }
            let stage = Stage(
                shape: shape, size: size,
                domain: (SIMD3(repeating: 0), SIMD3(repeating: 1)))
            if shape == .cube { cube = stage } else { curves = stage }
            colors.reserveCapacity(colors.count + stage.count)
        }

        /// Returns the stages in the order in which they are applied.
        func finish() throws(EffectError) -> [Stage] {
            var stages = [curves, cube].compactMap { $0 }
            guard !stages.isEmpty else { throw wrong("it has neither LUT_1D_SIZE nor LUT_3D_SIZE") }
            let count = stages.reduce(0) { $0 + $1.count }
            guard colors.count == count else {
                throw wrong("expected \(count) colours, found \(colors.count)")
            }
            stages[0].domain = (low ?? stages[0].domain.minimum, high ?? stages[0].domain.maximum)
            var rest = colors[...]
            for index in stages.indices {
                if let range = ranges[stages[index].shape] { stages[index].domain = range }
                let domain = stages[index].domain
                guard (0..<3).allSatisfy({ domain.minimum[$0] < domain.maximum[$0] }) else {
                    throw wrong("its domain is empty")
                }
                stages[index].colors = Array(rest.prefix(stages[index].count))
                rest = rest.dropFirst(stages[index].count)
            }
            return stages
        }

        /// Returns the words of a line before a comment.
        private static func words(_ line: Substring) -> [Substring] {
            line.utf8.prefix { $0 != UInt8(ascii: "#") }
                .split(whereSeparator: ShaderText.isSpace).map { Substring($0) }
        }

        /// Returns whether a number is finite and within the range of half floats, ±65,504.
        private static func isPossible(_ number: Float) -> Bool { number.magnitude <= 65_504 }

        private static func color(_ words: ArraySlice<Substring>) -> SIMD3<Float>? {
            guard words.count == 3, let first = words.first,
                let red = Float(first), let green = Float(words[words.startIndex + 1]),
                let blue = Float(words[words.startIndex + 2]),
                isPossible(red), isPossible(green), isPossible(blue)
            else { return nil }
            return SIMD3(red, green, blue)
        }
    }
}
