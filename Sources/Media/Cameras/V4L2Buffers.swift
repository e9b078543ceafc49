// SPDX-License-Identifier: Apache-2.0

import CPlayheadV4L2
import Glibc
import PlayheadCapturing

/// The buffers that a driver fills, mapped into this process.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the buffers are unmapped when the object is released.
final class V4L2Buffers: @unchecked Sendable {
    // Unchecked: used by the stream's thread, and by its creator before the thread starts.

    /// A buffer that the driver has filled.
    struct Filled {
        var index: Int
        /// The bytes that the driver declares as used.
        var bytes: UnsafeRawBufferPointer
        var flags: UInt32
        var sequence: UInt32
        /// The driver's time, in nanoseconds of the clock that the flags name.
        var nanoseconds: Int64
    }

    /// Enough for one buffer in each stage (being filled, waiting, being copied) and a spare one.
    private static let wantedCount: UInt32 = 4

    private let device: V4L2Device
    private var mappings: [UnsafeMutableRawBufferPointer] = []

    /// Requests buffers, maps them and gives them to the driver.
    init(of device: V4L2Device) throws(CaptureError) {
        self.device = device
        var request = v4l2_requestbuffers()
        request.count = Self.wantedCount
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        try device.perform("given buffers", &request, ph_v4l2_request_buffers)
        guard request.count > 0 else {
            throw device.failure(ENOMEM, while: "given buffers")
        }
        for index in 0..<request.count {
            var buffer = Self.buffer(index)
            try device.perform("given buffers", &buffer, ph_v4l2_query_buffer)
            let address = mmap(
                nil, Int(buffer.length), PROT_READ | PROT_WRITE, MAP_SHARED, device.descriptor,
                off_t(ph_v4l2_offset(&buffer)))
            guard let address, address != MAP_FAILED else {
                throw device.failure(errno, while: "given buffers")
            }
            mappings.append(
                UnsafeMutableRawBufferPointer(start: address, count: Int(buffer.length)))
        }
        for index in mappings.indices { try queue(index) }
    }

    deinit {
        for mapping in mappings { munmap(mapping.baseAddress!, mapping.count) }
    }

    private static func buffer(_ index: UInt32 = 0) -> v4l2_buffer {
        var buffer = v4l2_buffer()
        buffer.index = index
        buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        buffer.memory = V4L2_MEMORY_MMAP.rawValue
        return buffer
    }

    /// Gives a buffer to the driver.
    func queue(_ index: Int) throws(CaptureError) {
        var buffer = Self.buffer(UInt32(index))
        try device.perform("given a buffer", &buffer, ph_v4l2_queue_buffer)
    }

    /// Takes the next filled buffer; nil if the driver has not filled another one yet.
    func dequeue() throws(CaptureError) -> Filled? {
        var buffer = Self.buffer()
        let code = ph_v4l2_dequeue_buffer(device.descriptor, &buffer)
        if code == EAGAIN { return nil }
        // EIO means, by its specification, that the driver has lost a frame and keeps the buffer.
        if code == EIO { return nil }
        guard code == 0, mappings.indices.contains(Int(buffer.index)) else {
            throw device.failure(code == 0 ? EINVAL : code, while: "read")
        }
        let mapping = mappings[Int(buffer.index)]
        let used = min(Int(buffer.bytesused), mapping.count)
        return Filled(
            index: Int(buffer.index),
            bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(mapping)[..<used]),
            flags: buffer.flags, sequence: buffer.sequence,
            nanoseconds: Int64(buffer.timestamp.tv_sec) * 1_000_000_000
                + Int64(buffer.timestamp.tv_usec) * 1000)
    }

    /// Starts or stops streaming.
    func setStreaming(_ isStreaming: Bool) throws(CaptureError) {
        var type = Int32(V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
        if isStreaming {
            try device.perform("started", &type, ph_v4l2_stream_on)
        } else {
            // A device that was disconnected has already stopped, so an error is ignored.
            _ = ph_v4l2_stream_off(device.descriptor, &type)
        }
    }
}
