// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A compressed entry of an archive, unpacked into memory, as a source of media.
///
/// - Concurrency: any thread.
/// - Ownership: calls `release` when the memory is no longer used.
final class UnpackedEntrySource: MediaDataSource {
    private let bytes: [UInt8]
    private let release: @Sendable () -> Void

    init(_ bytes: [UInt8], release: @escaping @Sendable () -> Void) {
        self.bytes = bytes
        self.release = release
    }

    deinit { release() }

    var byteCount: Int64? { Int64(bytes.count) }
    var isSeekable: Bool { true }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        guard offset >= 0, offset < Int64(bytes.count) else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
}
