// SPDX-License-Identifier: Apache-2.0

/// Decompresses a deflate stream (RFC 1951) with a simple algorithm.
struct Inflater {
    private let input: [UInt8]
    private var position = 0
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []

    /// Decompresses `bytes`; what follows the last block is ignored.
    static func inflate(_ bytes: some Sequence<UInt8>) throws -> [UInt8] {
        var inflater = Inflater(input: Array(bytes))
        while try inflater.block() {}
        return inflater.output
    }

    private init(input: [UInt8]) { self.input = input }

    /// A code by lengths, as in the RFC's clause 3.2.2: the number of codes of each length, and all
    /// symbols in the order of their codes.
    private struct Code {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        init(lengths: [Int]) {
            for length in 1..<16 {
                let members = lengths.indices.filter { lengths[$0] == length }
                counts[length] = members.count
                symbols += members
            }
        }
    }

    private mutating func take(_ count: Int) throws -> Int {
        while bitCount < count {
            guard position < input.count else {
                throw PNGFile.Failure(description: "compressed data cut short")
            }
            bits |= UInt32(input[position]) << UInt32(bitCount)
            position += 1
            bitCount += 8
        }
        let value = Int(bits & ((1 << UInt32(count)) - 1))
        bits >>= UInt32(count)
        bitCount -= count
        return value
    }

    private mutating func symbol(_ code: Code) throws -> Int {
        var (value, first, index) = (0, 0, 0)
        for length in 1..<16 {
            value |= try take(1)
            if value - first < code.counts[length] { return code.symbols[index + value - first] }
            index += code.counts[length]
            first = (first + code.counts[length]) << 1
            value <<= 1
        }
        throw PNGFile.Failure(description: "compressed data is damaged")
    }

    /// Decodes one block; false after the last.
    private mutating func block() throws -> Bool {
        let isLast = try take(1) == 1
        switch try take(2) {
        case 0:
            (bits, bitCount) = (0, 0)
            guard position + 4 <= input.count else {
                throw PNGFile.Failure(description: "compressed data cut short")
            }
            let count = Int(input[position]) | Int(input[position + 1]) << 8
            position += 4
            guard position + count <= input.count else {
                throw PNGFile.Failure(description: "compressed data cut short")
            }
            output += input[position..<(position + count)]
            position += count
        case 1:
            let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
            try copy(Code(lengths: lengths), Code(lengths: [Int](repeating: 5, count: 30)))
        case 2:
            let (literals, distances) = try readCodes()
            try copy(literals, distances)
        default:
            throw PNGFile.Failure(description: "compressed data is damaged")
        }
        return !isLast
    }

    private mutating func readCodes() throws -> (Code, Code) {
        let literalCount = try take(5) + 257
        let distanceCount = try take(5) + 1
        let lengthCount = try take(4) + 4
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        var codeLengths = [Int](repeating: 0, count: 19)
        for index in 0..<lengthCount { codeLengths[order[index]] = try take(3) }
        let code = Code(lengths: codeLengths)
        var lengths: [Int] = []
        while lengths.count < literalCount + distanceCount {
            switch try symbol(code) {
            case 16:
                let last = lengths.last ?? 0
                lengths += [Int](repeating: last, count: try take(2) + 3)
            case 17: lengths += [Int](repeating: 0, count: try take(3) + 3)
            case 18: lengths += [Int](repeating: 0, count: try take(7) + 11)
            case let length: lengths.append(length)
            }
        }
        return (
            Code(lengths: Array(lengths[..<literalCount])),
            Code(lengths: Array(lengths[literalCount...]))
        )
    }

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131, 163, 195, 227, 258,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
        2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
    ]

    /// Decodes the literals and copies of a compressed block.
    private mutating func copy(_ literals: Code, _ distances: Code) throws {
        while true {
            let value = try symbol(literals)
            if value < 256 {
                output.append(UInt8(value))
                continue
            }
            if value == 256 { return }
            let kind = value - 257
            guard kind < 29 else {
                throw PNGFile.Failure(description: "compressed data is damaged")
            }
            let lengthBits = kind < 8 || kind == 28 ? 0 : kind / 4 - 1
            let length = Self.lengthBases[kind] + (try take(lengthBits))
            let distanceKind = try symbol(distances)
            guard distanceKind < 30 else {
                throw PNGFile.Failure(description: "compressed data is damaged")
            }
            let distanceBits = distanceKind < 4 ? 0 : distanceKind / 2 - 1
            let distance = Self.distanceBases[distanceKind] + (try take(distanceBits))
            guard distance <= output.count else {
                throw PNGFile.Failure(description: "compressed data is damaged")
            }
            // A copy that reaches beyond the end repeats what it has written.
            var left = length
            while left > 0 {
                let start = output.count - distance
                let count = min(left, distance)
                output += Array(output[start..<(start + count)])
                left -= count
            }
        }
    }
}
