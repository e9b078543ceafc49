// SPDX-License-Identifier: Apache-2.0

/// The first sample of a track in a fragment of MP4. The packet of the sample is recognised by it.
///
/// Times are in units of the track's timescale, which a fragment does not state.
///
/// - Concurrency: a value.
/// - Corresponds to: `traf` of ISO/IEC 14496-12, 8.8.6.
package struct FragmentTrack: Sendable, Hashable {
    /// The decode time of the sample.
    package let decodeTime: Int64
    /// The time from decoding to presentation.
    package let compositionOffset: Int64
    /// The size of the sample in bytes; nil if the fragment does not state it.
    package let byteCount: Int?
    /// The time from the presentation of the sample to that of the earliest sample in the fragment.
    /// It is negative if frames that follow the first one are shown before it, and otherwise zero.
    package let lead: Int64

    private enum BoxType {
        static let header = BoxReader.type("tfhd")
        static let decodeTime = BoxReader.type("tfdt")
        static let run = BoxReader.type("trun")
    }

    /// The values that apply to all samples of the track that do not state others.
    private struct Defaults {
        var duration: Int64?
        var byteCount: Int?

        init() {}

        init(_ header: ArraySlice<UInt8>) {
            var reader = BoxReader(header)
            guard reader.number(1) != nil, let flags = reader.number(3) else { return }
            // The identifier, the place of the data, and the index of the sample description.
            reader.skip(4 + (flags & 0x01 != 0 ? 8 : 0) + (flags & 0x02 != 0 ? 4 : 0))
            if flags & 0x08 != 0 { duration = reader.number(4).map { Int64($0) } }
            if flags & 0x10 != 0 { byteCount = reader.number(4) }
        }
    }

    package init(
        decodeTime: Int64, compositionOffset: Int64 = 0, byteCount: Int?, lead: Int64 = 0
    ) {
        (self.decodeTime, self.compositionOffset) = (decodeTime, compositionOffset)
        (self.byteCount, self.lead) = (byteCount, lead)
    }

    /// Reads the contents of a box. Returns nil without a decode time and a sample, and if the box
    /// is cut off before them.
    package init?(_ contents: ArraySlice<UInt8>) {
        var reader = BoxReader(contents)
        var defaults = Defaults()
        var decodeTime: Int64?
        while let box = reader.header() {
            let contents = reader.rest.prefix(box.size - 8)
            switch box.type {
            case BoxType.header: defaults = Defaults(contents)
            case BoxType.decodeTime: decodeTime = Self.decodeTime(contents)
            case BoxType.run:
                guard let decodeTime else { return nil }
                if let track = Self(run: contents, from: decodeTime, defaults) {
                    self = track
                    return
                }
            default: break
            }
            reader.skip(contents.count)
        }
        return nil
    }

    /// Reads the contents of a box. Returns the identifier of the track, and the interval of its
    /// samples; nil without a decode time and durations, and if the box is cut off.
    ///
    /// - Parameter durations: For each track, the duration of samples that do not state others.
    package static func interval(
        of contents: ArraySlice<UInt8>, durations: [Int: Int64]
    ) -> (track: Int, range: Range<Int64>)? {
        var reader = BoxReader(contents)
        var (track, defaults) = (Int?.none, Defaults())
        var (start, end) = (Int64?.none, Int64(0))
        while let box = reader.header() {
            guard reader.rest.count >= box.size - 8 else { return nil }
            let contents = reader.rest.prefix(box.size - 8)
            switch box.type {
            case BoxType.header:
                defaults = Defaults(contents)
                var header = BoxReader(contents)
                header.skip(4)
                track = header.number(4)
                defaults.duration = defaults.duration ?? track.flatMap { durations[$0] }
            case BoxType.decodeTime:
                start = decodeTime(contents)
                end = start ?? 0
            case BoxType.run:
                guard let duration = Self.duration(ofRun: contents, defaults) else { return nil }
                let (sum, isTooLarge) = end.addingReportingOverflow(duration)
                guard !isTooLarge else { return nil }
                end = sum
            default: break
            }
            reader.skip(contents.count)
        }
        guard let track, let start, end > start else { return nil }
        return (track, start..<end)
    }

    /// Returns the duration of a run of samples; nil if it is not stated.
    private static func duration(
        ofRun contents: ArraySlice<UInt8>, _ defaults: Defaults
    ) -> Int64? {
        guard let (whole, count) = Samples.samples(ofRun: contents, defaults) else { return nil }
        guard whole.flags & 0x100 != 0 else {
            // Both numbers have 32 bits.
            let (product, isTooLarge) =
                Int64(count).multipliedReportingOverflow(by: defaults.duration ?? 0)
            return isTooLarge || defaults.duration == nil ? nil : product
        }
        // The bytes bound the loop, because a duration has four.
        var (samples, sum) = (whole, Int64(0))
        for _ in 0..<count {
            guard let duration = samples.next()?.duration else { return nil }
            sum += duration
        }
        return sum
    }

    private static func decodeTime(_ contents: ArraySlice<UInt8>) -> Int64? {
        var reader = BoxReader(contents)
        guard let version = reader.number(1), reader.number(3) != nil else { return nil }
        return reader.number(version == 0 ? 4 : 8).map { Int64($0) }
    }

    /// Reads a run of samples, which may be cut off after its first sample.
    private init?(run contents: ArraySlice<UInt8>, from decodeTime: Int64, _ defaults: Defaults) {
        guard let (whole, count) = Samples.samples(ofRun: contents, defaults), count > 0 else {
            return nil
        }
        var samples = whole
        guard let first = samples.next() else { return nil }
        var (elapsed, earliest) = (first.duration, first.offset)
        // If samples do not state offsets, they are shown in the order of decoding. The bytes
        // bound the loop, because an offset has four.
        if samples.haveOffsets {
            for _ in 1..<count {
                guard let time = elapsed, let sample = samples.next() else { break }
                earliest = min(earliest, time + sample.offset)
                elapsed = sample.duration.map { time + $0 }
            }
        }
        self.decodeTime = decodeTime
        compositionOffset = first.offset
        byteCount = first.byteCount
        lead = earliest - first.offset
    }

    /// The samples of a run.
    private struct Samples {
        var reader: BoxReader
        let flags: Int
        let defaults: Defaults

        var haveOffsets: Bool { flags & 0x800 != 0 }

        /// Reads the beginning of a run. Returns its samples, and their number.
        static func samples(
            ofRun contents: ArraySlice<UInt8>, _ defaults: Defaults
        ) -> (samples: Samples, count: Int)? {
            var reader = BoxReader(contents)
            guard reader.number(1) != nil, let flags = reader.number(3),
                let count = reader.number(4)
            else { return nil }
            // The place of the data, and the flags of the first sample.
            for field in [0x01, 0x04] where flags & field != 0 { reader.skip(4) }
            return (Samples(reader: reader, flags: flags, defaults: defaults), count)
        }

        /// Returns the next sample; nil if the run is cut off.
        mutating func next() -> (duration: Int64?, byteCount: Int?, offset: Int64)? {
            var (duration, byteCount, offset) = (defaults.duration, defaults.byteCount, Int64(0))
            if flags & 0x100 != 0 {
                guard let stated = reader.number(4) else { return nil }
                duration = Int64(stated)
            }
            if flags & 0x200 != 0 {
                guard let stated = reader.number(4) else { return nil }
                byteCount = stated
            }
            if flags & 0x400 != 0 { reader.skip(4) }
            if haveOffsets {
                guard let stated = reader.number(4) else { return nil }
                // Writers use negative numbers in version 0 too, and FFmpeg reads them.
                offset = Int64(Int32(truncatingIfNeeded: stated))
            }
            return (duration, byteCount, offset)
        }
    }
}
