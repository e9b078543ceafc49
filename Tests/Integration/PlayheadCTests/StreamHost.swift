// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadThreads
import Synchronization

/// A host that reads a video from its own memory.
final class StreamHost: Sendable {
    private let bytes: [UInt8]
    private let closeCount = Atomic<Int>(0)
    private let isReleased: Monitor<Bool>

    /// - Parameter isHeld: whether reading waits for `release()`.
    init(_ bytes: [UInt8], isHeld: Bool = false) {
        self.bytes = bytes
        isReleased = Monitor(!isHeld)
    }

    func release() { isReleased.change { $0 = true } }

    var isClosed: Bool { closeCount.load(ordering: .acquiring) == 1 }

    /// Its functions; it must live until the close function has been called.
    var stream: playhead_stream {
        var stream = playhead_stream()
        stream.struct_size = UInt32(MemoryLayout<playhead_stream>.size)
        stream.size = Int64(bytes.count)
        stream.user = Unmanaged.passUnretained(self).toOpaque()
        stream.read = { user, buffer, capacity, offset in
            guard let user, let buffer else { return -1 }
            let host = Unmanaged<StreamHost>.fromOpaque(user).takeUnretainedValue()
            _ = host.isReleased.wait { $0 ? true : nil }
            let part = host.bytes.dropFirst(Int(offset)).prefix(capacity)
            UnsafeMutableRawBufferPointer(start: buffer, count: capacity).copyBytes(from: part)
            return Int64(part.count)
        }
        stream.close = { user in
            guard let user else { return }
            let host = Unmanaged<StreamHost>.fromOpaque(user).takeUnretainedValue()
            host.closeCount.add(1, ordering: .releasing)
        }
        return stream
    }
}
