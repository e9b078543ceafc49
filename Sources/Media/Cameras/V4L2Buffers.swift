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
        /// For each memory plane, the bytes that the driver declares as used.
        var planes: [UnsafeRawBufferPointer]
        var flags: UInt32
        var sequence: UInt32
        /// The driver's timestamp, in nanoseconds, on the clock that the flags name.
        var nanoseconds: Int64
    }

    /// The number of buffers to request: one for each stage (being filled, waiting, being copied)
    /// and a spare one.
    private static let wantedCount: UInt32 = 4

    private let device: V4L2Device
    private let planeCount: Int
    /// The memory of each buffer, by plane.
    private var mappings: [[UnsafeMutableRawBufferPointer]] = []

    /// Requests buffers, maps them and gives them to the driver.
    init(of device: V4L2Device, planeCount: Int) throws(CaptureError) {
        self.device = device
        self.planeCount = planeCount
        var request = v4l2_requestbuffers()
        request.count = Self.wantedCount
        request.type = device.bufferType
        request.memory = V4L2_MEMORY_MMAP.rawValue
        try device.perform("given buffers", &request, ph_v4l2_request_buffers)
        guard request.count > 0 else {
            throw device.failure(ENOMEM, while: "given buffers")
        }
        for index in 0..<request.count {
            var frame = frame(index)
            try device.perform("given buffers", &frame, ph_v4l2_query_buffer)
            mappings.append([])
            for plane in 0..<Int32(planeCount) {
                let length = Int(ph_v4l2_length(&frame, plane))
                let address = mmap(
                    nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, device.descriptor,
                    off_t(ph_v4l2_offset(&frame, plane)))
                guard let address, address != MAP_FAILED else {
                    throw device.failure(errno, while: "given buffers")
                }
                mappings[Int(index)].append(
                    UnsafeMutableRawBufferPointer(start: address, count: length))
            }
        }
        for index in mappings.indices { try queue(index) }
    }

    deinit {
        for mapping in mappings.joined() { munmap(mapping.baseAddress!, mapping.count) }
    }

    private func frame(_ index: UInt32 = 0) -> ph_v4l2_frame {
        var frame = ph_v4l2_frame()
        frame.buffer.index = index
        frame.buffer.type = device.bufferType
        frame.buffer.memory = V4L2_MEMORY_MMAP.rawValue
        frame.plane_count = Int32(planeCount)
        return frame
    }

    /// Gives a buffer to the driver.
    func queue(_ index: Int) throws(CaptureError) {
        var frame = frame(UInt32(index))
        try device.perform("given a buffer", &frame, ph_v4l2_queue_buffer)
    }

    /// Takes the next filled buffer; nil if the driver has not filled another one yet.
    func dequeue() throws(CaptureError) -> Filled? {
        var frame = frame()
        let code = ph_v4l2_dequeue_buffer(device.descriptor, &frame)
        let buffer = frame.buffer
        if code == EAGAIN { return nil }
        // By the specification of V4L2, EIO means that the driver has lost a frame and keeps the
        // buffer.
        if code == EIO { return nil }
        guard code == 0, mappings.indices.contains(Int(buffer.index)) else {
            throw device.failure(code == 0 ? EINVAL : code, while: "read")
        }
        let planes = mappings[Int(buffer.index)].enumerated().map { plane, mapping in
            let end = min(Int(ph_v4l2_used(&frame, Int32(plane))), mapping.count)
            let start = min(Int(ph_v4l2_header(&frame, Int32(plane))), end)
            return UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(mapping)[start..<end])
        }
        return Filled(
            index: Int(buffer.index), planes: planes,
            flags: buffer.flags, sequence: buffer.sequence,
            nanoseconds: Int64(buffer.timestamp.tv_sec) * 1_000_000_000
                + Int64(buffer.timestamp.tv_usec) * 1000)
    }

    /// Starts or stops streaming.
    func setStreaming(_ isStreaming: Bool) throws(CaptureError) {
        var type = Int32(device.bufferType)
        if isStreaming {
            try device.perform("started", &type, ph_v4l2_stream_on)
        } else {
            // A device that was disconnected has already stopped, so an error is ignored.
            _ = ph_v4l2_stream_off(device.descriptor, &type)
        }
    }
}
