// SPDX-License-Identifier: Apache-2.0

/// A source of media data that the caller provides, such as memory, an archive, a database, or an
/// encrypted store.
///
/// A source has no read position, so several readers of one source do not disturb each other. An
/// asset opens its source once to load its properties, and once more for each player, reader or
/// image generator. `CallbackDataSource` adapts a pair of read and seek functions.
///
/// - Concurrency: reads come from any thread. Reads of different readers may be concurrent; reads
///   of one reader are not. A read may block, which delays only that reader's demuxing thread.
/// - Corresponds to: `AVAssetResourceLoaderDelegate`'s data requests; `read_packet` and `seek` of
///   `avio_alloc_context`.
public protocol MediaDataSource: AnyObject, Sendable {
    /// The number of bytes, or nil if unknown. If it is unknown, formats with their index at the
    /// end are unreadable.
    var byteCount: Int64? { get }

    /// A Boolean value that indicates whether reads may start at any offset. If not, each read
    /// continues where the previous one ended, and only the first opening gets the beginning of the
    /// data.
    var isSeekable: Bool { get }

    /// Reads at least one byte, unless the end has been reached, and at most the size of the
    /// buffer.
    ///
    /// - Parameters:
    ///   - buffer: The buffer, which is not empty.
    ///   - offset: The offset of the first byte.
    ///   - isCancelled: A function that returns whether the reader was cancelled or its deadline
    ///     has passed. A source that waits must call it a few times per second and throw
    ///     `MediaError.Code.cancelled` if it returns true.
    /// - Returns: The number of bytes read; 0 at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int
}
