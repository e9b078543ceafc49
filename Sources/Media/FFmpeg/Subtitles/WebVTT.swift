// SPDX-License-Identifier: Apache-2.0

/// WebVTT as FFmpeg can read it.
///
/// - Corresponds to: W3C's WebVTT, 6.1, whose blocks without times are no cues.
enum WebVTT {
    /// Leaves out what is no cue, such as styles and regions, at the first of which older versions
    /// of FFmpeg take the file for ended, and has every line end in a line feed.
    ///
    /// - Parameter text: in UTF-8.
    static func cues(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        // Where in it the block began that is under way, and whether that stays: the header does.
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

    /// Whether there is the arrow that stands between two times.
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
