// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The fragments of an MP4 file (ISO/IEC 14496-12, 8.8).
///
/// - Concurrency: a value.
struct MovieFragments: FragmentIndex {
    private struct Fragment {
        var offset: Int64
        var time: MediaTime
    }

    private struct Box {
        var type: UInt64
        var content: Int64
        var end: Int64
    }

    private let timescales: [UInt64: Int32]
    /// The fragments of each track.
    private var tracks: [UInt64: [Fragment]] = [:]
    private var headerEndOfMovie: Int64?
    /// The offset of the next box.
    private var next: Int64 = 0

    /// The maximum number of boxes in a fragment that are read.
    private static let maximumBoxes = 256

    /// - Parameter timescales: The timescale of each track, by its number in the file.
    init(timescales: [Int: Int32]) {
        self.timescales = Dictionary(
            uniqueKeysWithValues: timescales.map { (UInt64($0.key), $0.value) })
    }

    var headerEnd: Int64? { tracks.isEmpty ? nil : headerEndOfMovie }

    var end: MediaTime? {
        tracks.values.compactMap { fragments in
            guard let last = fragments.last else { return nil }
            // The fragment is assumed to be as long as the one before it.
            let before = fragments.dropLast().last
            return before.map { last.time + max(last.time - $0.time, .zero) } ?? last.time
        }.max()
    }

    mutating func update(from file: FileDescriptorDataSource) {
        let size = file.byteCount ?? 0
        while let box = Self.box(at: next, in: file), box.end <= size {
            if box.type == Self.code("moov") { headerEndOfMovie = box.end }
            if box.type == Self.code("moof"), headerEndOfMovie != nil {
                addFragment(box, at: next, in: file)
            }
            next = box.end
        }
    }

    func offset(at time: MediaTime) -> Int64? {
        tracks.values.compactMap { fragments in
            fragments.last { $0.time <= time }?.offset ?? fragments.first?.offset
        }.min()
    }

    /// A `free` box whose size has 64 bits.
    static func filler(byteCount: Int64) -> [UInt8] {
        [0, 0, 0, 1] + Array("free".utf8)
            + (0..<8).reversed().map { UInt8(truncatingIfNeeded: byteCount >> (Int64($0) * 8)) }
    }

    // MARK: - Boxes

    private static func box(at offset: Int64, in file: FileDescriptorDataSource) -> Box? {
        guard let start = file.number(at: offset, byteCount: 8) else { return nil }
        var (size, header) = (start >> 32, UInt64(8))
        if size == 1 {
            guard let long = file.number(at: offset + 8, byteCount: 8) else { return nil }
            (size, header) = (long, 16)
        }
        // A box of size 0 extends to the end of the file, which is not known.
        guard size >= header, size < 1 << 62, offset < 1 << 61 else { return nil }
        return Box(
            type: start & 0xFFFF_FFFF, content: offset + Int64(header), end: offset + Int64(size))
    }

    private static func boxes(in parent: Box, of file: FileDescriptorDataSource) -> [Box] {
        var boxes: [Box] = []
        var next = parent.content
        while boxes.count < maximumBoxes, let box = box(at: next, in: file), box.end <= parent.end {
            boxes.append(box)
            next = box.end
        }
        return boxes
    }

    private mutating func addFragment(
        _ box: Box, at offset: Int64, in file: FileDescriptorDataSource
    ) {
        for track in Self.boxes(in: box, of: file) where track.type == Self.code("traf") {
            let parts = Self.boxes(in: track, of: file)
            // A version and flags of four bytes precede the fields.
            guard let header = parts.first(where: { $0.type == Self.code("tfhd") }),
                let number = file.number(at: header.content + 4, byteCount: 4),
                let timescale = timescales[number],
                let decoding = parts.first(where: { $0.type == Self.code("tfdt") }),
                let version = file.number(at: decoding.content, byteCount: 1),
                let ticks = file.number(
                    at: decoding.content + 4, byteCount: version == 1 ? 8 : 4),
                ticks < 1 << 62
            else { continue }
            let time = MediaTime(value: Int64(ticks), timescale: timescale)
            tracks[number, default: []].append(Fragment(offset: offset, time: time))
        }
    }

    private static func code(_ text: StaticString) -> UInt64 {
        text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }
}
