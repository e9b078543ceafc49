// SPDX-License-Identifier: Apache-2.0

/// Bytes of a film from wherever the caller has them: memory, an archive, a database, an encrypted
/// store.
///
/// There is no position, so that several readers of one source do not disturb each other: an asset
/// opens its source once to load its properties, and once more for each player, reader or image
/// generator that plays it. `CallbackDataSource` adapts a pair of read and seek functions.
///
/// - Concurrency: reads come from any thread, several at once from several readers; one reader's
///   follow each other. A read may block: it holds up that reader's demuxing thread and nothing
///   else.
/// - Corresponds to: `AVAssetResourceLoaderDelegate`'s data requests; `read_packet` and `seek` of
///   `avio_alloc_context`.
public protocol MediaDataSource: AnyObject, Sendable {
    /// The number of bytes; nil if it is unknown, which makes formats that keep their index at the
    /// end unreadable.
    var byteCount: Int64? { get }

    /// A Boolean value that indicates whether reads may start at any offset. If not, each continues
    /// where the last one ended, and only the first opening finds the beginning.
    var isSeekable: Bool { get }

    /// Reads at least one byte, unless the end has been reached, and at most as many as fit.
    ///
    /// - Parameters:
    ///   - buffer: where they go; not empty.
    ///   - offset: where the first of them lies.
    ///   - isCancelled: returns whether the reader has given up or its deadline has passed. A
    ///     source that waits calls it a few times a second, and throws `MediaError.Code.cancelled`
    ///     then.
    /// - Returns: how many were read; 0 at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int
}
