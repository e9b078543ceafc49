// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets

/// The packets of an RTSP session in the form that FFmpeg's demuxer for SDP reads: each read
/// returns one packet. The demuxer writes reports about the reception.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the input retains the session, and frees FFmpeg's context on deallocation.
/// - Corresponds to: the flag `custom_io` of FFmpeg's `sdp` demuxer.
final class PacketInput {
    private(set) var pointer: UnsafeMutablePointer<AVIOContext>?
    /// The error that ended reading.
    private(set) var failure: MediaError?

    private let session: RTSPSession
    private let interrupt: Interrupt
    private let transfer: TransferMonitor

    /// The size of the buffer for reports, in bytes.
    private static let bufferSize: Int32 = 1 << 12

    init(
        _ session: RTSPSession, interrupt: Interrupt, transfer: TransferMonitor
    ) throws(MediaError) {
        (self.session, self.interrupt, self.transfer) = (session, interrupt, transfer)
        pointer = ph_avio_alloc_packets(
            Self.bufferSize, Unmanaged.passUnretained(self).toOpaque(),
            { PacketInput.of($0).read(into: $1, count: $2) },
            { PacketInput.of($0).write($1, count: $2) })
        guard pointer != nil else {
            throw FFmpegError.outOfMemory.whileReading(session.subject, interrupt: interrupt)
        }
    }

    deinit { ph_avio_free_output(pointer) }

    private static func of(_ opaque: UnsafeMutableRawPointer?) -> PacketInput {
        Unmanaged<PacketInput>.fromOpaque(opaque!).takeUnretainedValue()
    }

    private func read(into buffer: UnsafeMutablePointer<UInt8>?, count: Int32) -> Int32 {
        guard let buffer, count > 0 else { return ph_AVERROR(EINVAL) }
        do throws(MediaError) {
            while true {
                let next = try transfer.wait(byteCount: { $0?.count ?? 0 }) {
                    () throws(MediaError) -> [UInt8]? in try session.nextPacket()
                }
                guard let packet = next else { return FFmpegError.endOfFile.rawValue }
                // FFmpeg's buffer is larger than any packet.
                guard packet.count <= Int(count) else { continue }
                failure = nil
                buffer.update(from: packet, count: packet.count)
                return Int32(packet.count)
            }
        } catch {
            failure = interrupt.explaining(error)
            return interrupt.isTriggered ? FFmpegError.interrupted.rawValue : ph_AVERROR(EIO)
        }
    }

    private func write(_ bytes: UnsafePointer<UInt8>?, count: Int32) -> Int32 {
        if let bytes {
            session.send(report: Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
        }
        return count
    }
}
