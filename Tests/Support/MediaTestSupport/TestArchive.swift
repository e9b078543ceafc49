// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A ZIP file that is written byte by byte, so that it can state anything.
package struct TestArchive {
    package struct Entry {
        package var name: String
        /// The bytes as they are in the file.
        package var data: [UInt8]
        /// 0 for data that is not compressed, 8 for deflate.
        package var method = 0
        /// The size that is stated for the unpacked data.
        package var size: Int
        /// The size that is stated for the data in the file.
        package var packedSize: Int
        /// The file mode.
        package var mode = 0
        package var flags = 0
        /// The offset that is stated for the data; nil for the true one.
        package var offset: Int?
        /// The sizes in the ZIP64 extra field of the directory; the size fields refer to it.
        package var largeSizes: (size: Int, packedSize: Int)?

        /// Creates an entry that is not compressed.
        package init(_ name: String, _ data: [UInt8]) {
            self.name = name
            self.data = data
            (size, packedSize) = (data.count, data.count)
        }

        /// Creates an entry in the deflate format.
        package init(_ name: String, deflated data: [UInt8], size: Int) {
            self.init(name, data)
            (method, self.size) = (8, size)
        }
    }

    package var entries: [Entry]
    /// The number of entries that the directory states; nil for the true one.
    package var entryCount: Int?
    /// The length of the directory that is stated; nil for the true one.
    package var directoryLength: Int?

    package init(_ entries: [Entry] = []) { self.entries = entries }

    package init(_ entries: [(name: String, bytes: [UInt8])]) {
        self.init(entries.map { Entry($0.name, $0.bytes) })
    }

    /// Returns a number in little-endian bytes.
    package static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// The file.
    package var bytes: [UInt8] {
        let number = Self.number
        var (data, index): ([UInt8], [UInt8]) = ([], [])
        for entry in entries {
            let name = Array(entry.name.utf8)
            let large = entry.largeSizes.map {
                number(1, 2) + number(16, 2) + number($0.size, 8) + number($0.packedSize, 8)
            }
            let (packedSize, size) =
                large == nil ? (entry.packedSize, entry.size) : (0xFFFF_FFFF, 0xFFFF_FFFF)
            let facts: [[UInt8]] = [
                number(20, 2), number(entry.flags, 2), number(entry.method, 2), number(0, 8),
                number(packedSize, 4), number(size, 4), number(name.count, 2),
            ]
            index += [0x50, 0x4B, 1, 2]
            index += number(0x0314, 2)
            index += facts.joined()
            index += number(large?.count ?? 0, 2)
            index += number(0, 6)
            index += number(0, 2)
            index += number(entry.mode, 2)
            index += number(entry.offset ?? data.count, 4)
            index += name
            index += large ?? []
            data += [0x50, 0x4B, 3, 4]
            data += facts.joined()
            data += number(0, 2)
            data += name
            data += entry.data
        }
        let count = number(entryCount ?? entries.count, 2)
        let end: [[UInt8]] = [
            [0x50, 0x4B, 5, 6], number(0, 4), count, count,
            number(directoryLength ?? index.count, 4), number(data.count, 4), number(0, 2),
        ]
        return data + index + end.joined()
    }

    package func write(to url: URL) throws { try Data(bytes).write(to: url) }

    // MARK: - Deflate

    /// Returns bytes in the deflate format, in blocks that are not compressed.
    package static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for start in stride(from: 0, to: max(bytes.count, 1), by: 0xFFFF) {
            let block = bytes[start..<min(start + 0xFFFF, bytes.count)]
            result.append(start + 0xFFFF >= bytes.count ? 1 : 0)
            result += number(block.count, 2) + number(~block.count, 2) + block
        }
        return result
    }

    /// Returns zeros in the deflate format: 1 + 258 n bytes in 13 n bits.
    package static func deflatedZeros(repeats: Int) -> [UInt8] {
        var result: [UInt8] = []
        var (bits, bitCount) = (UInt64(0), 0)
        // Codes begin with their most significant bit.
        func put(_ code: String) {
            for digit in code.utf8 {
                bits |= UInt64(digit == UInt8(ascii: "1") ? 1 : 0) << UInt64(bitCount)
                bitCount += 1
                if bitCount == 8 {
                    result.append(UInt8(bits))
                    (bits, bitCount) = (0, 0)
                }
            }
        }
        // The last block, with fixed codes; a zero; its repetitions; the end.
        put("110" + "00110000")
        for _ in 0..<repeats { put("11000101" + "00000") }
        put("0000000" + "0000000")
        return result
    }
}
