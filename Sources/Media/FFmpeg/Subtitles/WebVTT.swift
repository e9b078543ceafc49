// SPDX-License-Identifier: Apache-2.0

/// A converter of WebVTT files to a form that FFmpeg can read.
///
/// - Corresponds to: W3C's WebVTT, 6.1. Blocks without times are not cues.
enum WebVTT {
    /// Removes blocks that are not cues, such as styles and regions, because older versions of
    /// FFmpeg stop reading at the first such block. Also converts line endings to line feeds.
    ///
    /// - Parameter text: The contents of the file, in UTF-8.
    static func cues(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        // These are the beginning of the current block in the result, and whether the block is
        // kept. The header is kept.
        var (block, isKept) = (0, true)
        var rest = text[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != lineFeed && $0 != carriageReturn }
            rest = rest[line.endIndex...]
            let isPair = rest.starts(with: [carriageReturn, lineFeed])
            rest = rest.dropFirst(isPair ? 2 : 1)
            if line.isEmpty, !isKept { result.removeSubrange(block...) }
            result += line
            result.append(lineFeed)
            if line.isEmpty {
                (block, isKept) = (result.count, false)
            } else if hasArrow(line) {
                isKept = true
            }
        }
        if !isKept { result.removeSubrange(block...) }
        return result
    }

    /// Returns whether a line contains the arrow between two times.
    private static func hasArrow(_ line: ArraySlice<UInt8>) -> Bool {
        var dashes = 0
        for byte in line {
            if byte == UInt8(ascii: ">"), dashes >= 2 { return true }
            dashes = byte == UInt8(ascii: "-") ? dashes + 1 : 0
        }
        return false
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
