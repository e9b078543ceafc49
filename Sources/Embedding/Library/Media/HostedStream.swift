// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadAssets
import Synchronization

/// A media source whose data the host provides.
///
/// - Concurrency: reads may come from any thread, and are passed to the host one at a time.
/// - Ownership: calls the host's close function when it is released.
final class HostedStream: MediaDataSource, @unchecked Sendable {
    // Unchecked: the functions are constant, and the host guarantees that they may be called on any
    // thread.
    private let stream: playhead_stream
    private let name: String
    private let turn = Mutex(())

    init(_ stream: playhead_stream, name: String) {
        self.stream = stream
        self.name = name
    }

    deinit {
        guard let close = stream.close else { return }
        let user = stream.user
        Callback.run { close(user) }
    }

    var byteCount: Int64? { stream.size < 0 ? nil : stream.size }
    var isSeekable: Bool { true }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        if isCancelled() {
            throw MediaError(.cancelled, subject: name, cause: "reading was cancelled")
        }
        let count = turn.withLock { _ in
            Callback.run {
                stream.read(stream.user, buffer.baseAddress, buffer.count, offset)
            }
        }
        guard count >= 0, count <= buffer.count else {
            throw MediaError(
                .cannotOpen, subject: name,
                cause: count < 0
                    ? "the stream's read function failed at byte \(offset)"
                    : "the stream's read function returned \(count) for a buffer of "
                        + "\(buffer.count) "
                        + "bytes; return the number of bytes read")
        }
        return Int(count)
    }
}
