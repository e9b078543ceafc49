// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Media that is read with a read function and a seek function, such as those of a file-like
/// object.
///
///     let source = CallbackDataSource(byteCount: archive.size) { buffer throws(MediaError) in
///         try archive.read(into: buffer)
///     } seek: { offset throws(MediaError) in
///         try archive.seek(to: offset)
///     }
///
/// - Concurrency: the functions are called under one lock, from any thread, and never at the same
///   time. They may block.
/// - Errors: if a function throws a `MediaError`, reading ends.
/// - Corresponds to: `avio_alloc_context`.
package final class CallbackDataSource: MediaDataSource, @unchecked Sendable {
    // Unchecked: the functions and the position are used under `position`'s lock only.

    /// A function that reads at least one byte into the buffer and returns the number of bytes; 0
    /// at the end.
    package typealias Read = (UnsafeMutableRawBufferPointer) throws(MediaError) -> Int
    /// A function that sets the offset of the next read.
    package typealias Seek = (Int64) throws(MediaError) -> Void

    package let byteCount: Int64?
    private let readOn: Read
    private let seek: Seek?
    /// The offset at which the next read continues; nil after a function has failed, because the
    /// offset is then unknown.
    private let position = Mutex<Int64?>(0)

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes, or nil if unknown.
    ///   - read: A function that reads data, initially from the beginning.
    ///   - seek: A function that moves the position; nil if seeking is not possible.
    package init(byteCount: Int64? = nil, read: @escaping Read, seek: Seek? = nil) {
        self.byteCount = byteCount
        readOn = read
        self.seek = seek
    }

    package var isSeekable: Bool { seek != nil }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        try position.withLock { (position) throws(MediaError) in
            if position != offset {
                guard let seek else {
                    throw MediaError(
                        .cannotOpen, subject: "the data source",
                        cause: "it cannot be read twice or out of order",
                        remedy: "provide a function that seeks")
                }
                position = nil
                try seek(offset)
            }
            position = nil
            let count = try readOn(buffer)
            guard (0...buffer.count).contains(count) else {
                throw MediaError(
                    .damaged, subject: "the data source",
                    cause: "its read function returned \(count) for a buffer of "
                        + "\(buffer.count) bytes",
                    remedy: "throw an error if reading fails")
            }
            position = offset + Int64(count)
            return count
        }
    }
}
