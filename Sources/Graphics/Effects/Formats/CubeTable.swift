// SPDX-License-Identifier: Apache-2.0

/// A table of colours from a `.cube` file.
///
/// - Corresponds to: Adobe's "Cube LUT Specification", version 1.0.
struct CubeTable {
    enum Shape: Hashable {
        /// A curve for each channel.
        case curves
        /// A cube; red changes fastest.
        case cube
    }

    let shape: Shape
    /// Along an axis.
    let size: Int
    let title: String
    let domain: (minimum: SIMD3<Float>, maximum: SIMD3<Float>)
    let colors: [SIMD3<Float>]

    /// Most levels an axis: a file of 128 has two million lines, those that people use 17 to 65.
    static let maximumCubeSize = 128
    /// The specification's.
    static let maximumCurveSize = 65_536

    /// Whether a text is meant to be such a file.
    static func isOne(_ text: String) -> Bool {
        ShaderText.hasLine(startingWith: "LUT_3D_SIZE", in: text)
            || ShaderText.hasLine(startingWith: "LUT_1D_SIZE", in: text)
    }

    /// - Throws: `EffectError.malformedHeader`, `.beyondLimit`, `.unsupported`, with the line.
    init(_ text: String, path: String) throws(EffectError) {
        var shape: Shape?
        var size = 0
        var title = ""
        var (low, high) = (SIMD3<Float>(repeating: 0), SIMD3<Float>(repeating: 1))
        var colors: [SIMD3<Float>] = []
        var last = 1
        for (index, line) in ShaderText.lines(text).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            last = index + 1
            func wrong(_ reason: String) -> EffectError {
                .malformedHeader(path: path, line: index + 1, column: nil, reason: reason)
            }
            switch first {
            case "TITLE":
                title = line.split(separator: "\"").dropFirst().first.map { String($0) } ?? ""
            case "LUT_1D_SIZE" where shape == .cube, "LUT_3D_SIZE" where shape == .curves:
                throw .unsupported(
                    path: path, line: index + 1,
                    reason: "curves in front of a cube, as DaVinci Resolve writes them, are not "
                        + "supported: write the cube alone")
            case "LUT_1D_SIZE", "LUT_3D_SIZE":
                guard shape == nil, let number = words.dropFirst().first.flatMap({ Int($0) }),
                    number >= 2
                else { throw wrong("\(first) takes one number from 2 on, once") }
                (shape, size) = (first == "LUT_1D_SIZE" ? .curves : .cube, number)
                let limit = shape == .cube ? Self.maximumCubeSize : Self.maximumCurveSize
                guard size <= limit else {
                    throw .beyondLimit(
                        path: path, line: index + 1,
                        reason: "the table has \(size) levels; \(limit) are possible")
                }
                colors.reserveCapacity(shape == .cube ? size * size * size : size)
            case "DOMAIN_MIN", "DOMAIN_MAX":
                guard let color = Self.color(words.dropFirst()) else {
                    throw wrong("\(first) takes three numbers")
                }
                if first == "DOMAIN_MIN" { low = color } else { high = color }
            case "LUT_1D_INPUT_RANGE", "LUT_3D_INPUT_RANGE":
                // Not the specification's, but DaVinci Resolve's.
                let numbers = words.dropFirst().compactMap { Float($0) }
                guard numbers.count == 2, numbers.allSatisfy(Self.isPossible) else {
                    throw wrong("\(first) takes two numbers")
                }
                (low, high) = (SIMD3(repeating: numbers[0]), SIMD3(repeating: numbers[1]))
            default:
                guard let color = Self.color(words[...]) else {
                    throw wrong("this is neither a keyword nor three numbers")
                }
                colors.append(color)
            }
        }
        func wrong(_ reason: String) -> EffectError {
            .malformedHeader(path: path, line: last, column: nil, reason: reason)
        }
        guard let shape else { throw wrong("it has neither LUT_1D_SIZE nor LUT_3D_SIZE") }
        let count = shape == .cube ? size * size * size : size
        guard colors.count == count else {
            throw wrong("it has \(colors.count) colours, and should have \(count)")
        }
        guard (0..<3).allSatisfy({ low[$0] < high[$0] }) else {
            throw wrong("its domain is empty")
        }
        self.shape = shape
        self.size = size
        self.title = title
        domain = (low, high)
        self.colors = colors
    }

    /// Whether a number is one, and of a size that calculations stand: that of half floats, 65,504.
    private static func isPossible(_ number: Float) -> Bool { number.magnitude <= 65_504 }

    private static func color(_ words: ArraySlice<Substring>) -> SIMD3<Float>? {
        let numbers = words.compactMap { Float($0) }
        guard numbers.count == 3, words.count == 3, numbers.allSatisfy(isPossible) else {
            return nil
        }
        return [numbers[0], numbers[1], numbers[2]]
    }
}
