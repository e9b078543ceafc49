// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The text file of a VobSub pair. It contains colours, languages and the offsets of subtitles in
/// the bitmap file.
///
/// The format has no standard. Lines are interpreted as in FFmpeg's `vobsub` demuxer. That demuxer
/// is not used, because it opens the bitmap file itself, without the checks of
/// `AssetResourceLoader`.
struct VobSubIndex {
    /// The subtitles of one language.
    struct Track {
        /// The number of the substream with the bitmaps, from 0.
        var number: UInt8
        /// The two-letter code of the language; nil if unknown.
        var language: String?
        var title: String?
        /// The entries, sorted by time.
        var entries: [Entry] = []
    }

    struct Entry {
        var milliseconds: Int64
        /// The offset of the subtitle's pack in the bitmap file, in bytes.
        var position: Int64
    }

    /// The lines of the index that decoders need: the size of the screen, and its palette.
    private(set) var header = ""
    /// The size of the screen to which positions refer.
    private(set) var size: (width: Int, height: Int) = (720, 576)
    /// The tracks in the order of the file, except that the default track comes first.
    private(set) var tracks: [Track] = []

    /// The maximum number of subtitle substreams on a DVD.
    private static let maximumTracks = 32

    static func isIndex(_ head: [UInt8]) -> Bool {
        let mark = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return head.dropFirst(mark).starts(with: "# VobSub index file".utf8)
    }

    /// Parses an index.
    ///
    /// - Parameter limit: The maximum number of subtitles in all tracks. Further subtitles are
    ///   ignored.
    init(_ text: [UInt8], limit: Int) {
        var defaultNumber: Int64?
        var delay: Int64 = 0
        var count = 0
        for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = String(decoding: line, as: UTF8.self)
            guard let colon = line.firstIndex(of: ":"), !line.hasPrefix("#") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            switch line[..<colon].drop(while: { $0 == " " || $0 == "\t" }) {
            case "id":
                guard let track = Self.track(value), tracks.count < Self.maximumTracks else {
                    continue
                }
                tracks.append(track)
                delay = 0
            case "alt": tracks.indices.last.map { tracks[$0].title = String(value) }
            case "delay":
                let isNegative = value.first == "-"
                guard let time = Self.time(value.drop { $0 == "-" || $0 == "+" }) else { continue }
                delay += isNegative ? -time : time
            case "timestamp":
                guard let last = tracks.indices.last, count < limit,
                    let entry = Self.entry(value, delay: delay)
                else { continue }
                count += 1
                tracks[last].entries.append(entry)
            case "langidx": defaultNumber = Int64(value)
            default:
                guard tracks.isEmpty else { continue }
                header += line + "\n"
                if line.hasPrefix("size"), let size = Self.size(value) { self.size = size }
            }
        }
        for index in tracks.indices {
            tracks[index].entries.sort { $0.milliseconds < $1.milliseconds }
        }
        if let first = tracks.firstIndex(where: { Int64($0.number) == defaultNumber }) {
            tracks.insert(tracks.remove(at: first), at: 0)
        }
    }

    /// Parses a line such as `en, index: 0`.
    private static func track(_ text: Substring) -> Track? {
        let parts = text.split(separator: ",", maxSplits: 1)
        guard parts.count == 2, let colon = parts[1].firstIndex(of: ":"),
            let number = UInt8(trimmed(parts[1][parts[1].index(after: colon)...])),
            number < maximumTracks
        else { return nil }
        let language = trimmed(parts[0])
        return Track(number: number, language: language == "--" ? nil : String(language))
    }

    /// Parses an entry such as `00:00:01:101, filepos: 00000a000`, which contains hours, minutes,
    /// seconds, milliseconds and a hexadecimal offset.
    private static func entry(_ text: Substring, delay: Int64) -> Entry? {
        let parts = text.split(separator: ",", maxSplits: 1)
        guard parts.count == 2, let time = time(parts[0]),
            let colon = parts[1].firstIndex(of: ":"),
            let position = Int64(trimmed(parts[1][parts[1].index(after: colon)...]), radix: 16),
            position >= 0, time + delay >= 0
        else { return nil }
        return Entry(milliseconds: time + delay, position: position)
    }

    /// Parses a time such as `00:00:01:101`, and returns milliseconds.
    private static func time(_ text: Substring) -> Int64? {
        let fields = trimmed(text).split(separator: ":").compactMap { Int64($0) }
        guard fields.count == 4, fields.allSatisfy({ (0...100_000).contains($0) }) else {
            return nil
        }
        return ((fields[0] * 60 + fields[1]) * 60 + fields[2]) * 1000 + fields[3]
    }

    /// Parses a size such as `720x576`.
    private static func size(_ text: Substring) -> (width: Int, height: Int)? {
        let fields = trimmed(text).split(separator: "x").compactMap { Int($0) }
        guard fields.count == 2, fields.allSatisfy({ (1...16_384).contains($0) }) else {
            return nil
        }
        return (fields[0], fields[1])
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let text = text.drop { $0.isWhitespace }
        return text.prefix(text.count - text.reversed().prefix { $0.isWhitespace }.count)
    }
}
