// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadTime

/// The parts of a file that is still being written: the fragments of an MP4, or the clusters of a
/// Matroska file. Such a file has no index yet. Each part states its time, and decoding can
/// usually begin with it.
///
/// Only the headers of parts are read, and each of them once. The first malformed header ends the
/// search.
protocol FragmentIndex {
    /// The end of the file's header. The first part begins there or soon after; nil if there is no
    /// part yet.
    var headerEnd: Int64? { get }
    /// The end of the newest part, to the accuracy of its header; nil if it is not known.
    var end: MediaTime? { get }

    /// Adds the parts that were written since the last call.
    mutating func update(from file: FileDescriptorDataSource)

    /// Returns the offset of the last part that contains a time in every track; nil for the first
    /// part.
    func offset(at time: MediaTime) -> Int64?

    /// Returns the header of an element that demuxers skip.
    ///
    /// - Parameter byteCount: The size of the element with its header, which is at least 16 bytes.
    static func filler(byteCount: Int64) -> [UInt8]
}

/// A growing file as it is read after a seek: its header, then a part and everything after it. All
/// bytes keep their offsets. A filler, which demuxers skip, covers the parts before.
///
/// With this, a demuxer that knows a file only as far as it has read it begins at any part.
final class FragmentedDataSource: MediaDataSource {
    private let file: FileDescriptorDataSource
    private let filler: (offset: Int64, bytes: [UInt8])

    init(_ file: FileDescriptorDataSource, fillingFrom offset: Int64, with filler: [UInt8]) {
        self.file = file
        self.filler = (offset, filler)
    }

    var byteCount: Int64? { file.byteCount }
    var isSeekable: Bool { file.isSeekable }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        let count = try file.read(into: buffer, at: offset, isCancelled: isCancelled)
        for (index, byte) in filler.bytes.enumerated() {
            let place = filler.offset + Int64(index) - offset
            if (0..<Int64(count)).contains(place) { buffer[Int(place)] = byte }
        }
        return count
    }
}

extension FileDescriptorDataSource {
    /// Returns an unsigned number of up to eight bytes, most significant byte first; nil if the
    /// file is shorter.
    func number(at offset: Int64, byteCount: Int) -> UInt64? {
        bytes(at: offset, count: byteCount).map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }

    private func bytes(at offset: Int64, count: Int) -> [UInt8]? {
        guard offset >= 0, count > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes {
            try? self.read(into: $0, at: offset) { false }
        }
        return read == count ? bytes : nil
    }
}
