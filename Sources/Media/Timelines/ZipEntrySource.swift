// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A part of a file as a source of media.
///
/// - Concurrency: any thread.
/// - Ownership: the source keeps the file open.
final class ZipEntrySource: MediaDataSource {
    private let file: FileDescriptorDataSource
    private let start: Int64
    let byteCount: Int64?
    var isSeekable: Bool { true }

    init(_ file: FileDescriptorDataSource, start: Int64, byteCount: Int64) {
        self.file = file
        self.start = start
        self.byteCount = byteCount
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        let left = (byteCount ?? 0) - offset
        guard offset >= 0, left > 0 else { return 0 }
        let part = UnsafeMutableRawBufferPointer(
            rebasing: buffer.prefix(Int(min(Int64(buffer.count), left))))
        return try file.read(into: part, at: start + offset, isCancelled: isCancelled)
    }
}
