// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// The edit lists, the sample entries, the clean apertures and the encrypted tracks of a QuickTime
/// or MP4 file.
/// libavformat does not report them, or only from version 7.1 on.
///
/// Only the boxes that lead to these properties are read, and only in local files. The first
/// malformed box ends the search, because the results are only for display.
///
/// - Concurrency: one thread at a time, which is the thread of the context. The position of the
///   context is restored.
/// - Corresponds to: the boxes `moov`, `trak`, `edts`, `elst` and `stsd` of ISO/IEC 14496-12.
struct MovieBoxes {
    /// The edits. The key is the number of the track in the file, which is `AVStream.id`.
    private(set) var segments: [Int: [AssetTrackSegment]] = [:]
    /// The numbers of the encrypted tracks, which are those with a sample entry `encv` or `enca`
    /// (ISO/IEC 14496-12, 8.12).
    private(set) var encryptedTracks: Set<Int> = []
    /// The clean apertures, for tracks whose first sample entry has an aperture that is smaller
    /// than the frame. The key is the number of the track.
    private(set) var cleanApertures: [Int: FormatDescription.CleanAperture] = [:]

    /// The sample entries of tracks that have several. The key is the number of the track.
    private(set) var sampleEntries: [Int: [SampleEntry]] = [:]

    /// The headers of WebVTT tracks, which contain their style sheets. The key is the number of the
    /// track.
    private(set) var textHeaders: [Int: [UInt8]] = [:]

    /// A sample entry.
    struct SampleEntry {
        /// The type, as a number of four characters.
        var type: UInt32
        /// The size of the frames; 0 for other media.
        var width = 0
        var height = 0
    }

    private let input: UnsafeMutablePointer<AVIOContext>
    private var movieTimescale: Int32 = 0
    private var track = Track()
    private var boxCount = 0
    /// The media type of the track.
    private var handler: UInt32 = 0

    private struct Track {
        var id = 0
        var timescale: Int32 = 0
        /// The entries of the edit list: the duration in the movie's time scale, the media time in
        /// the track's time scale, and the rate as a 16.16 number.
        var entries: [(duration: UInt64, mediaTime: Int64, rate: Int32)] = []
    }

    /// The maximum number of boxes that are read, and of entries in a list.
    private static let maximumBoxes = 4096
    private static let maximumEntries = 4096

    /// Reads the boxes. Fails for other formats and for sources other than local files.
    ///
    /// - Parameter includesMemory: A Boolean value that indicates whether data of the caller is
    ///   read too.
    init?(_ context: FormatContext, includesMemory: Bool = false) {
        let format = context.pointer.pointee
        guard String(cString: format.iformat.pointee.name).hasPrefix("mov,"),
            let url = format.url, let input = format.pb,
            String(cString: url).hasPrefix("file:") || includesMemory && !context.isRemote,
            input.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0
        else { return nil }
        self.input = input
        let position = avio_seek(input, 0, SEEK_CUR)
        let size = avio_size(input)
        if size > 0, avio_seek(input, 0, SEEK_SET) == 0 { readBoxes(until: size, depth: 0) }
        _ = avio_seek(input, position, SEEK_SET)
    }

    private mutating func readBoxes(until end: Int64, depth: Int) {
        var start = avio_seek(input, 0, SEEK_CUR)
        while start >= 0, start + 8 <= end, boxCount < Self.maximumBoxes, depth < 6 {
            boxCount += 1
            var size = Int64(avio_rb32(input))
            let type = avio_rb32(input)
            var header: Int64 = 8
            if size == 1 {
                size = Int64(truncatingIfNeeded: avio_rb64(input))
                header = 16
            } else if size == 0 {
                size = end - start
            }
            guard size >= header, size <= end - start else { return }
            readBox(type, size: size - header, end: start + size, depth: depth)
            start += size
            guard avio_seek(input, start, SEEK_SET) == start else { return }
            // A file has one index. The samples after it are not needed.
            if type == Self.code("moov") { return }
        }
    }

    private mutating func readBox(_ type: UInt32, size: Int64, end: Int64, depth: Int) {
        switch type {
        case Self.code("moov"), Self.code("edts"), Self.code("mdia"), Self.code("minf"),
            Self.code("stbl"):
            readBoxes(until: end, depth: depth + 1)
        case Self.code("trak"):
            track = Track()
            handler = 0
            readBoxes(until: end, depth: depth + 1)
            finishTrack()
        case Self.code("mvhd") where size >= 20:
            skipTimes()
            movieTimescale = Int32(truncatingIfNeeded: avio_rb32(input))
        case Self.code("mdhd") where size >= 20:
            skipTimes()
            track.timescale = Int32(truncatingIfNeeded: avio_rb32(input))
        case Self.code("tkhd") where size >= 20:
            skipTimes()
            track.id = Int(avio_rb32(input))
        case Self.code("hdlr") where size >= 12:
            // This skips the version, the flags, and the field that QuickTime has before the type.
            avio_skip(input, 8)
            // QuickTime has a second handler, for the location of the data.
            if depth == 3 { handler = avio_rb32(input) }
        case Self.code("elst") where size >= 8: readEntries(size: size)
        case Self.code("stsd") where size >= 16:
            // This skips the version and the flags.
            avio_skip(input, 4)
            let count = Int64(avio_rb32(input))
            let start = avio_seek(input, 0, SEEK_CUR)
            if count > 1 { readSampleEntries(min(count, 64), from: start, until: end) }
            guard avio_seek(input, start, SEEK_SET) == start else { return }
            let entryEnd = min(end, start + Int64(avio_rb32(input)))
            let entry = avio_rb32(input)
            readCleanAperture(start: start, end: entryEnd)
            if entry == Self.code("wvtt") { readTextHeader(start: start, end: entryEnd) }
            if [Self.code("encv"), Self.code("enca")].contains(entry) {
                encryptedTracks.insert(track.id)
            }
        default: break
        }
    }

    /// Reads the types of sample entries and, for video, the sizes of frames.
    private mutating func readSampleEntries(_ count: Int64, from start: Int64, until end: Int64) {
        var (entries, place): ([SampleEntry], Int64) = ([], start)
        for _ in 0..<count {
            guard place + 16 <= end, avio_seek(input, place, SEEK_SET) == place else { return }
            let size = Int64(avio_rb32(input))
            var entry = SampleEntry(type: avio_rb32(input))
            guard size >= 16, place + size <= end else { return }
            if handler == Self.code("vide"), size >= 36 {
                guard avio_seek(input, place + 32, SEEK_SET) == place + 32 else { return }
                (entry.width, entry.height) = (Int(avio_rb16(input)), Int(avio_rb16(input)))
            }
            entries.append(entry)
            place += size
        }
        sampleEntries[track.id] = entries
    }

    /// Reads the `clap` box of a visual sample entry (ISO/IEC 14496-12, 12.1.3 and 12.1.4).
    private mutating func readCleanAperture(start: Int64, end: Int64) {
        guard handler == Self.code("vide"), end - start > Self.visualEntrySize else { return }
        guard avio_seek(input, start + 32, SEEK_SET) == start + 32 else { return }
        let (width, height) = (Int(avio_rb16(input)), Int(avio_rb16(input)))
        let boxes = start + Self.visualEntrySize..<end
        guard let box = contents(of: Self.code("clap"), in: boxes), box.count >= 32 else { return }
        cleanApertures[track.id] = Self.aperture(
            in: input, at: box.lowerBound, width: width, height: height)
    }

    /// Reads the `vttC` box of the sample entry of a WebVTT track (ISO/IEC 14496-30, 7.5).
    private mutating func readTextHeader(start: Int64, end: Int64) {
        guard end - start > Self.entrySize,
            let box = contents(of: Self.code("vttC"), in: start + Self.entrySize..<end),
            box.count <= Self.maximumTextHeader
        else { return }
        var bytes = [UInt8](repeating: 0, count: box.count)
        let count = avio_read(input, &bytes, Int32(bytes.count))
        if count == Int32(bytes.count) { textHeaders[track.id] = bytes }
    }

    /// Moves to the contents of the first box with a type in a range of boxes. Returns the range of
    /// the contents; nil if there is no such box.
    private mutating func contents(of type: UInt32, in boxes: Range<Int64>) -> Range<Int64>? {
        var start = boxes.lowerBound
        while start + 8 <= boxes.upperBound, boxCount < Self.maximumBoxes,
            avio_seek(input, start, SEEK_SET) == start
        {
            boxCount += 1
            let size = Int64(avio_rb32(input))
            let found = avio_rb32(input)
            guard size >= 8, size <= boxes.upperBound - start else { return nil }
            if found == type { return start + 8..<start + size }
            start += size
        }
        return nil
    }

    /// The maximum size of the header of a WebVTT track, in bytes.
    private static let maximumTextHeader = 1 << 18

    /// The size of a sample entry without the boxes after it, in bytes: of one for text, and of a
    /// visual one.
    private static let (entrySize, visualEntrySize): (Int64, Int64) = (16, 86)

    /// Reads the content of a `clap` box: four fractions, which are the width, the height, and the
    /// two distances of its centre from the centre of the frame.
    static func aperture(
        in input: UnsafeMutablePointer<AVIOContext>, at place: Int64, width: Int, height: Int
    ) -> FormatDescription.CleanAperture? {
        guard avio_seek(input, place, SEEK_SET) == place else { return nil }
        func fraction() -> Double {
            let numerator = Double(Int32(bitPattern: avio_rb32(input)))
            let denominator = Double(Int32(bitPattern: avio_rb32(input)))
            return numerator / denominator
        }
        let (wide, high) = (fraction(), fraction())
        let (right, down) = (fraction(), fraction())
        let left = (Double(width) - wide) / 2 + right
        let top = (Double(height) - high) / 2 + down
        // Broken files have apertures that extend beyond the frame. Only the part inside the frame
        // is used.
        guard [left, top, wide, high].allSatisfy({ abs($0) < 1e6 }) else { return nil }
        let (x, y) = (max(0, Int(left.rounded())), max(0, Int(top.rounded())))
        let (columns, rows) = (
            min(Int(wide.rounded()), width - x), min(Int(high.rounded()), height - y)
        )
        guard columns > 0, rows > 0, columns < width || rows < height else { return nil }
        return .init(x: x, y: y, width: columns, height: rows)
    }

    /// Skips the version, the flags and the times of creation and modification, which have 64 bits
    /// in version 1.
    private func skipTimes() {
        let version = avio_rb32(input) >> 24
        avio_skip(input, version == 1 ? 16 : 8)
    }

    private mutating func readEntries(size: Int64) {
        let version = avio_rb32(input) >> 24
        let entrySize: Int64 = version == 1 ? 20 : 12
        let count = min(Int64(avio_rb32(input)), (size - 8) / entrySize, Int64(Self.maximumEntries))
        for _ in 0..<max(0, count) {
            let duration = version == 1 ? avio_rb64(input) : UInt64(avio_rb32(input))
            let mediaTime =
                version == 1
                ? Int64(bitPattern: avio_rb64(input)) : Int64(Int32(bitPattern: avio_rb32(input)))
            track.entries.append((duration, mediaTime, Int32(bitPattern: avio_rb32(input))))
        }
    }

    private mutating func finishTrack() {
        guard movieTimescale > 0, track.timescale > 0, !track.entries.isEmpty else { return }
        var start = MediaTime.zero
        var result: [AssetTrackSegment] = []
        for entry in track.entries {
            guard let ticks = Int64(exactly: entry.duration) else { return }
            let duration = MediaTime(value: ticks, timescale: movieTimescale)
            let target = MediaTimeRange(start: start, duration: duration)
            if entry.mediaTime < 0 {
                result.append(AssetTrackSegment(timeMapping: .empty(target: target)))
            } else {
                let source = MediaTimeRange(
                    start: MediaTime(value: entry.mediaTime, timescale: track.timescale),
                    duration: duration.multiplied(by: entry.rate, over: 1 << 16))
                result.append(
                    AssetTrackSegment(timeMapping: MediaTimeMapping(source: source, target: target))
                )
            }
            start += duration
        }
        segments[track.id] = result
    }

    private static func code(_ text: StaticString) -> UInt32 {
        text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }
}

extension MovieBoxes.SampleEntry {
    /// The four characters of the type; nil if they cannot be printed.
    var name: String? {
        let bytes = (0..<4).reversed().map { UInt8(truncatingIfNeeded: type >> (8 * UInt32($0))) }
        guard bytes.allSatisfy({ (0x20..<0x7f).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns FFmpeg's name of the codec; nil if the type is not known.
    func codec(of mediaType: MediaType) -> String? {
        let tables: [MediaType: OpaquePointer?] = [
            .video: avformat_get_mov_video_tags(), .audio: avformat_get_mov_audio_tags(),
        ]
        guard let table = tables[mediaType] else { return nil }
        let codec = [table, nil].withUnsafeBufferPointer {
            av_codec_get_id($0.baseAddress, type.byteSwapped)
        }
        return codec == AV_CODEC_ID_NONE ? nil : String(cString: avcodec_get_name(codec))
    }
}
