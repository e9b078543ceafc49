// SPDX-License-Identifier: Apache-2.0

/// A converter of SubRip files to a form that FFmpeg can read.
///
/// The format has no standard. FFmpeg reads only times in the form of the program SubRip,
/// `01:02:03,456`. Players also accept the forms that other programs write.
enum SubRip {
    /// Converts lines with two times to the form of the program SubRip. Their times may lack hours,
    /// or have few decimals or none. All other lines are unchanged.
    ///
    /// - Parameter text: The contents of the file, in UTF-8.
    static func normalized(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var (kept, place) = (0, 0)
        while place < text.count {
            let end =
                text[place...].firstIndex { $0 == lineFeed || $0 == carriageReturn }
                ?? text.count
            if let line = times(text[place..<end]) {
                result += text[kept..<place]
                result += line
                kept = end
            }
            place = end + 1
        }
        return kept == 0 ? text : result + text[kept...]
    }

    /// Returns a line of two times in SubRip's own form. Returns nil if the line already has that
    /// form or is a different kind of line.
    private static func times(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = line.drop(while: isSpace)
        // Most lines are text, which can be recognised by the first character.
        guard let first = rest.first, digit(first) != nil, let start = time(&rest) else {
            return nil
        }
        rest = rest.drop(while: isSpace)
        let dashes = rest.prefix { $0 == UInt8(ascii: "-") }.count
        rest = rest.dropFirst(dashes)
        guard dashes > 1, rest.popFirst() == UInt8(ascii: ">") else { return nil }
        rest = rest.drop(while: isSpace)
        guard let end = time(&rest), rest.first.map(isSpace) ?? true else { return nil }
        // Some programs write coordinates after the times.
        let normal = Array(start.utf8) + Array(" --> ".utf8) + Array(end.utf8) + rest
        return line.elementsEqual(normal) ? nil : normal
    }

    /// Removes a time from the beginning of a line and returns it. A time consists of optional
    /// hours, minutes, seconds and an optional fraction.
    private static func time(_ text: inout ArraySlice<UInt8>) -> String? {
        var fields: [Int] = []
        while true {
            let digits = text.prefix { digit($0) != nil }
            guard (1...6).contains(digits.count) else { return nil }
            fields.append(digits.reduce(0) { $0 * 10 + (digit($1) ?? 0) })
            text = text.dropFirst(digits.count)
            guard fields.count < 3, text.first == UInt8(ascii: ":") else { break }
            text = text.dropFirst()
        }
        guard fields.count > 1 else { return nil }
        var milliseconds = 0
        if text.first == UInt8(ascii: ",") || text.first == UInt8(ascii: ".") {
            let digits = text.dropFirst().prefix { digit($0) != nil }
            guard !digits.isEmpty else { return nil }
            text = text.dropFirst(1 + digits.count)
            for index in 0..<3 {
                let next = index < digits.count ? digit(digits[digits.startIndex + index]) : 0
                milliseconds = milliseconds * 10 + (next ?? 0)
            }
        }
        if fields.count == 2 { fields.insert(0, at: 0) }
        let clock = fields.map { padded($0, to: 2) }.joined(separator: ":")
        return clock + "," + padded(milliseconds, to: 3)
    }

    private static func padded(_ number: Int, to count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    private static func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
