// SPDX-License-Identifier: Apache-2.0

extension HookBlock {
    /// The maximum size of a table in bytes.
    private static let maximumByteCount = 64 << 20

    /// Parses the table of a `TEXTURE` block, whose text is its content in hexadecimal digits.
    ///
    /// - Throws: `EffectError.unsupported` or `.beyondLimit`.
    func readTable(_ table: Table) throws(EffectError) -> EffectTable {
        func refused(_ line: Int, _ reason: String) -> EffectError {
            .unsupported(path: path, line: line, reason: reason)
        }
        guard !table.size.isEmpty else {
            throw refused(table.line, "the texture '\(table.name)' needs a SIZE")
        }
        guard let format = table.format else {
            throw refused(table.line, "the texture '\(table.name)' needs a FORMAT")
        }
        let (channels, widths, isFloat) = try Self.layout(format, path: path)
        let texelCount = table.size.reduce(1, *)
        guard texelCount * channels * 4 <= Self.maximumByteCount else {
            throw .beyondLimit(
                path: path, line: table.line,
                reason:
                    "the texture '\(table.name)' has more than \(Self.maximumByteCount >> 20) MiB")
        }
        let bytes = try bytes(of: table)
        let isEmpty = table.storageLine != nil && bytes.isEmpty
        if let line = table.storageLine {
            guard table.size.count > 1, channels != 3 else {
                // OpenGL 4.2 core, table 3.21: images have no format of three channels.
                throw refused(
                    line,
                    "the texture '\(table.name)' with STORAGE needs two or three "
                        + "dimensions, and one, two or four channels")
            }
        }
        // For `rgba16f`, files for mpv have 32-bit floats and files for libplacebo 16-bit floats.
        // The length of the data decides. The texture has 16-bit floats in both cases.
        let width = widths.first { isEmpty || texelCount * channels * $0 == bytes.count }
        guard let width else {
            throw refused(
                table.line,
                "the texture '\(table.name)' needs \(texelCount * channels * widths[0]) bytes, "
                    + "found \(bytes.count)")
        }
        return EffectTable(
            name: table.name, size: table.size, channelCount: channels, bytesPerChannel: width,
            isFloat: isFloat, isHalf: isFloat && widths[0] == 2, isLinear: table.isLinear,
            border: table.border, isStorage: table.storageLine != nil, bytes: bytes)
    }

    /// Returns the number of channels, the possible sizes of a channel in bytes, and whether
    /// channels are floats: `rgba16f`, `r8`, `rg16hf`.
    private static func layout(
        _ format: (text: String, line: Int), path: String
    ) throws(EffectError) -> (channels: Int, widths: [Int], isFloat: Bool) {
        let text = Substring(format.text)
        let names = text.prefix { "rgba".contains($0) }
        let bits = text.dropFirst(names.count).prefix { $0.isNumber }
        let rest = text.dropFirst(names.count + bits.count)
        let channels = ["r", "rg", "rgb", "rgba"].firstIndex(of: String(names)).map { $0 + 1 }
        let kinds: [String: (widths: [Int], isFloat: Bool)] = [
            "8": ([1], false), "16": ([2], false), "16f": ([2, 4], true), "16hf": ([2], true),
            "32f": ([4], true),
        ]
        guard let channels, let kind = kinds["\(bits)\(rest)"] else {
            throw .unsupported(
                path: path, line: format.line,
                reason: "FORMAT '\(format.text)' is not supported; use r, rg, rgb or rgba with 8, "
                    + "16, 16f, 16hf or 32f")
        }
        return (channels, kind.widths, kind.isFloat)
    }

    private func bytes(of table: Table) throws(EffectError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.utf8.count / 2)
        var high: UInt8?
        var line = bodyLine
        for byte in body.utf8 {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            case UInt8(ascii: "\n"):
                line += 1
                continue
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
            default:
                throw .unsupported(
                    path: path, line: line,
                    reason: "expected hexadecimal digits of the texture '\(table.name)'")
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else {
            throw .unsupported(
                path: path, line: table.line,
                reason: "the texture '\(table.name)' has an odd number of hexadecimal digits")
        }
        return bytes
    }
}
