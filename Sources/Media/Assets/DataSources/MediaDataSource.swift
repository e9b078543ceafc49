// SPDX-License-Identifier: Apache-2.0

/// The data of media from any source of the caller: memory, an archive, a database, an encrypted
/// store.
///
/// There is no position, so that several readers of one source do not disturb each other: an asset
/// opens its source once to load its properties, and once more for each player, reader or image
/// generator. `CallbackDataSource` adapts a pair of read and seek functions.
///
/// - Concurrency: reads come from any thread and may be concurrent, except for those of one reader.
///   A read may block; it only delays that reader's demuxing thread.
/// - Corresponds to: `AVAssetResourceLoaderDelegate`'s data requests; `read_packet` and `seek` of
///   `avio_alloc_context`.
public protocol MediaDataSource: AnyObject, Sendable {
    /// The number of bytes, or nil if it is unknown, which makes formats with their index at the
    /// end unreadable.
    var byteCount: Int64? { get }

    /// A Boolean value that indicates whether reads may start at any offset. If not, each continues
    /// where the last one ended, and only the first opening finds the beginning.
    var isSeekable: Bool { get }

    /// Reads at least one byte, unless the end has been reached, and at most the size of the
    /// buffer.
    ///
    /// - Parameters:
    ///   - buffer: The buffer, which is not empty.
    ///   - offset: The offset of the first byte.
    ///   - isCancelled: Returns whether the reader was cancelled or its deadline has passed. A
    ///     source that waits calls it a few times a second, and throws `MediaError.Code.cancelled`
    ///     if it returns true.
    /// - Returns: The number of bytes read; 0 at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int
}
