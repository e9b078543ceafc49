// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The MPEG transport stream that an RTSP session carries, as bytes.
///
/// - Concurrency: one thread at a time, which is the thread that reads the asset.
final class RTSPTransportStream: MediaDataSource, @unchecked Sendable {
    // Unchecked: used by one thread at a time, the one that opens or reads the asset.

    private let session: RTSPSession
    private var ready: ArraySlice<UInt8> = []

    init(_ session: RTSPSession) { self.session = session }

    var byteCount: Int64? { nil }
    var isSeekable: Bool { false }

    func read(
        into target: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        while ready.isEmpty {
            guard let packet = try session.nextPacket() else { return 0 }
            ready = packet[...]
        }
        let part = ready.prefix(target.count)
        target.copyBytes(from: part)
        ready = ready.dropFirst(part.count)
        return part.count
    }
}
