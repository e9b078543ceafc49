// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// The intervals for which the fragments of an MP4 file have samples of a text track.
///
/// FFmpeg reports no durations of samples in fragments (confirmed in 5.1), so a sample before a gap
/// between fragments would last until the gap ends.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `traf`, `tfdt` and `trun` of ISO/IEC 14496-12, 8.8.
struct TextFragments {
    private let source: any MediaDataSource
    private let interrupt: Interrupt
    private let track: Int
    private let timescale: Int32
    /// For each track, the duration of samples that do not state others.
    private var durations: [Int: Int64] = [:]
    /// The intervals that have been read, in units of the timescale.
    private var intervals: [Range<Int64>] = []
    /// The offset of the next box; nil if no further boxes can be read.
    private var next: Int64? = 0

    /// The maximum number of intervals, and the maximum size of a box that is read.
    private static let maximumCount = 1 << 16
    private static let maximumSize = Int64(1) << 20

    private enum BoxType {
        static let movie = BoxReader.type("moov")
        static let extends = BoxReader.type("mvex")
        static let defaults = BoxReader.type("trex")
        static let fragment = BoxReader.type("moof")
        static let track = BoxReader.type("traf")
    }

    /// Creates the intervals of a stream. Fails for other formats than MP4, and if the timeline of
    /// the stream is not that of its samples.
    ///
    /// - Parameters:
    ///   - source: The bytes of the file.
    ///   - interrupt: The interrupt of the reading of bytes.
    init?(
        _ stream: UnsafePointer<AVStream>, of context: FormatContext,
        in source: any MediaDataSource, interrupt: Interrupt
    ) {
        guard source.isSeekable, stream.pointee.time_base.num == 1,
            let boxes = MovieBoxes(context, includesMemory: true)
        else { return nil }
        track = Int(stream.pointee.id)
        guard (boxes.segments[track] ?? []).allSatisfy({ $0.timeMapping.source.start == .zero })
        else { return nil }
        timescale = stream.pointee.time_base.den
        (self.source, self.interrupt) = (source, interrupt)
    }

    /// Returns the end of the samples of the fragment to which a packet belongs; nil if it is not
    /// known.
    mutating func end(of packet: MediaPacket, in box: PacketBox) -> MediaTime? {
        let (time, position) = (box.pointer.pointee.pts, box.pointer.pointee.pos)
        // A fragment precedes its samples.
        while let offset = next, offset <= position { read(at: offset) }
        guard let interval = intervals.last(where: { $0.contains(time) }) else { return nil }
        return packet.presentationTime
            + MediaTime(value: interval.upperBound - time, timescale: timescale)
    }

    // MARK: - Boxes

    /// Reads a box, if it is a fragment or the header of the file.
    private mutating func read(at offset: Int64) {
        next = nil
        guard intervals.count < Self.maximumCount, let head = bytes(at: offset, count: 8) else {
            return
        }
        var reader = BoxReader(head[...])
        var (size, header) = (Int64(reader.number(4) ?? 0), Int64(8))
        guard let type = reader.number(4) else { return }
        if size == 1 {
            reader = BoxReader((bytes(at: offset + 8, count: 8) ?? [])[...])
            (size, header) = (Int64(reader.number(8) ?? 0), 16)
        }
        // A box of size 0 extends to the end of the file.
        guard size >= header, size < .max - offset else { return }
        next = offset + size
        guard [BoxType.movie, BoxType.fragment].contains(type), size <= Self.maximumSize,
            let contents = bytes(at: offset + header, count: Int(size - header))
        else { return }
        if type == BoxType.movie { readDefaults(contents[...]) } else { readTracks(contents[...]) }
    }

    private mutating func readTracks(_ fragment: ArraySlice<UInt8>) {
        for box in Self.boxes(BoxType.track, in: fragment) {
            if let (track, range) = FragmentTrack.interval(of: box, durations: durations),
                track == self.track
            {
                intervals.append(range)
            }
        }
    }

    private mutating func readDefaults(_ movie: ArraySlice<UInt8>) {
        for extends in Self.boxes(BoxType.extends, in: movie) {
            for box in Self.boxes(BoxType.defaults, in: extends) {
                var reader = BoxReader(box)
                // The version and the flags, and later the index of the sample description.
                reader.skip(4)
                guard let track = reader.number(4) else { continue }
                reader.skip(4)
                if let duration = reader.number(4), duration > 0 {
                    durations[track] = Int64(duration)
                }
            }
        }
    }

    /// Returns the contents of the boxes with a type in another box.
    private static func boxes(
        _ type: Int, in contents: ArraySlice<UInt8>
    ) -> [ArraySlice<UInt8>] {
        var (reader, found) = (BoxReader(contents), [ArraySlice<UInt8>]())
        while let box = reader.header() {
            let contents = reader.rest.prefix(box.size - 8)
            if box.type == type { found.append(contents) }
            reader.skip(contents.count)
        }
        return found
    }

    private func bytes(at offset: Int64, count: Int) -> [UInt8]? {
        var (bytes, place) = ([UInt8](repeating: 0, count: count), 0)
        while place < count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                try? source.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[place...]),
                    at: offset + Int64(place), isCancelled: { interrupt.isTriggered })
            }
            guard let read, read > 0 else { return nil }
            place += read
        }
        return bytes
    }
}
