// SPDX-License-Identifier: Apache-2.0

/// The parameters of a TTML document with which its times are parsed.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: TTML2, 7.2 and 12.3.
struct TTMLTiming: Sendable, Hashable {
    /// The number of frames that a second has in the notation of times.
    private var frameRate = 30.0
    /// The factor from `frameRate` to the real rate, such as 1000/1001.
    private var multiplier = 1.0
    private var subFrameRate = 1.0
    private var tickRate = 1.0
    private var isSMPTE = false
    /// A Boolean value that indicates whether frame numbers are dropped, as with NTSC.
    private var dropsFrames = false

    /// The longest time in seconds. Later times are not valid.
    static let longest = 1e8

    /// Reads the parameters of the root element.
    init(_ root: XMLElement) {
        func number(_ name: String) -> Double? {
            root.value(ofLocal: name).flatMap { Double($0) }.flatMap {
                (0.001...1e9).contains($0) ? $0 : nil
            }
        }
        let stated = number("frameRate")
        frameRate = stated ?? 30
        subFrameRate = number("subFrameRate") ?? 1
        let factors = (root.value(ofLocal: "frameRateMultiplier") ?? "").split(maxSplits: 2) {
            $0 == " " || $0 == ":"
        }.compactMap { Double($0) }
        if factors.count == 2, factors[0] >= 1, factors[1] >= 1, factors[0] / factors[1] < 100 {
            multiplier = factors[0] / factors[1]
        }
        tickRate = number("tickRate") ?? (stated.map { $0 * subFrameRate } ?? 1)
        isSMPTE = root.value(ofLocal: "timeBase") == "smpte"
        dropsFrames = root.value(ofLocal: "dropMode") == "dropNTSC"
    }

    /// Returns a time in seconds; nil if the text is not a time.
    func seconds(_ text: String) -> Double? {
        let text = text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace }
        let seconds = text.contains(":" as Character) ? clock(text) : offset(text)
        return seconds.flatMap { (0...Self.longest).contains($0) ? $0 : nil }
    }

    /// Returns a number without a sign; nil if the text is something else, such as `nan`.
    private static func number(_ text: Substring) -> Double? {
        guard !text.isEmpty, text.utf8.count <= 32, text.utf8.first != UInt8(ascii: "."),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        return Double(text)
    }

    /// Returns a time such as `10.5s` or `300f`.
    private func offset(_ text: Substring) -> Double? {
        let digits = text.prefix { $0.isNumber || $0 == "." }
        guard let number = Self.number(digits) else { return nil }
        switch text[digits.endIndex...] {
        case "h": return number * 3600
        case "m": return number * 60
        case "s": return number
        case "ms": return number / 1000
        case "f": return number / (frameRate * multiplier)
        case "t": return number / tickRate
        default: return nil
        }
    }

    /// Returns a time such as `01:02:03.4` or `01:02:03:12`.
    private func clock(_ text: Substring) -> Double? {
        let fields = text.split(separator: ":", maxSplits: 4, omittingEmptySubsequences: false)
        guard fields.count == 3 || fields.count == 4 else { return nil }
        let numbers = fields.compactMap(Self.number)
        guard numbers.count == fields.count, numbers[0] == numbers[0].rounded(),
            numbers[1] < 60, numbers[2] < 61
        else { return nil }
        let whole = (numbers[0] * 60 + numbers[1]) * 60 + numbers[2]
        guard fields.count == 4 else { return whole }
        let frames = frame(fields[3]) ?? numbers[3]
        let rate = frameRate * multiplier
        guard isSMPTE else { return whole + frames / rate }
        // Each number counts as a frame, except for those that are dropped: two in every minute
        // but the tenth.
        let minutes = numbers[0] * 60 + numbers[1]
        let dropped = dropsFrames ? 2 * (minutes - (minutes / 10).rounded(.down)) : 0
        return (whole * frameRate + frames - dropped) / rate
    }

    /// Returns the number of frames in a field such as `12` or `12.1`, whose second number counts
    /// parts of a frame.
    private func frame(_ text: Substring) -> Double? {
        let parts = text.split(separator: ".").compactMap(Self.number)
        guard let frames = parts.first, parts.count <= 2 else { return nil }
        return frames + (parts.count == 2 ? parts[1] / subFrameRate : 0)
    }
}
