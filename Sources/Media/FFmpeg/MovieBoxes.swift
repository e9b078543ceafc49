// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// The edit lists and the encrypted tracks of a QuickTime or MP4 file, which libavformat does not
/// report.
///
/// Reads only the boxes that lead to them, in local files. The first box that is malformed ends the
/// search: the results are for display.
///
/// - Concurrency: one thread at a time, that of the context; leaves its position unchanged.
/// - Corresponds to: the boxes `moov`, `trak`, `edts`, `elst` and `stsd` of ISO/IEC 14496-12.
struct MovieBoxes {
    /// The edits by the track's number in the file, which is `AVStream.id`.
    private(set) var segments: [Int: [AssetTrackSegment]] = [:]
    /// The numbers of the tracks whose sample entry is encrypted: `encv` or `enca` (ISO/IEC
    /// 14496-12, 8.12).
    private(set) var encryptedTracks: Set<Int> = []

    private let input: UnsafeMutablePointer<AVIOContext>
    private var movieTimescale: Int32 = 0
    private var track = Track()
    private var boxCount = 0

    private struct Track {
        var id = 0
        var timescale: Int32 = 0
        /// The duration in the movie's time scale, the media time in the track's, and the rate as
        /// 16.16.
        var entries: [(duration: UInt64, mediaTime: Int64, rate: Int32)] = []
    }

    /// The maximum number of boxes that are read, and of entries in a list.
    private static let maximumBoxes = 4096
    private static let maximumEntries = 4096

    /// Reads the boxes. Returns nil for other formats and for sources other than local files.
    init?(_ context: FormatContext) {
        let format = context.pointer.pointee
        guard String(cString: format.iformat.pointee.name).hasPrefix("mov,"),
            let url = format.url, String(cString: url).hasPrefix("file:"), let input = format.pb,
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
            // There is one index. The samples behind it are not needed.
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
        case Self.code("elst") where size >= 8: readEntries(size: size)
        case Self.code("stsd") where size >= 16:
            // Skips the version, the flags, the number of entries and the size of the first entry.
            avio_skip(input, 12)
            let entry = avio_rb32(input)
            if [Self.code("encv"), Self.code("enca")].contains(entry) {
                encryptedTracks.insert(track.id)
            }
        default: break
        }
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
