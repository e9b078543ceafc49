// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A data source whose beginning has already been read, to detect its format.
final class PeekedDataSource: MediaDataSource {
    /// The bytes that have already been read.
    let head: [UInt8]
    private let source: any MediaDataSource

    init(
        _ source: any MediaDataSource, count: Int, isCancelled: () -> Bool
    ) throws(MediaError) {
        self.source = source
        head = try source.bytes(upTo: count, isCancelled: isCancelled)
    }

    var byteCount: Int64? { source.byteCount }
    var isSeekable: Bool { source.isSeekable }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        guard offset < Int64(head.count) else {
            return try source.read(into: buffer, at: offset, isCancelled: isCancelled)
        }
        let part = head[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
}

extension MediaDataSource {
    /// Returns the first bytes of the data, but at most `limit`.
    func bytes(upTo limit: Int, isCancelled: () -> Bool) throws(MediaError) -> [UInt8] {
        let block = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(limit, 1 << 16), alignment: 16)
        defer { block.deallocate() }
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let room = UnsafeMutableRawBufferPointer(
                rebasing: block.prefix(limit - bytes.count))
            let count = try read(into: room, at: Int64(bytes.count), isCancelled: isCancelled)
            if count == 0 { break }
            bytes.append(contentsOf: room.prefix(count))
        }
        return bytes
    }
}
