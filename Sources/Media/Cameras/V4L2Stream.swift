// SPDX-License-Identifier: Apache-2.0

import CPlayheadV4L2
import Glibc
import PlayheadAssets
import PlayheadBuffers
import PlayheadCapturing
import PlayheadThreads
import PlayheadTime
import Synchronization

/// A V4L2 device that delivers frames.
///
/// Its thread waits for the device and for `stop`, copies each filled buffer and returns it to the
/// driver immediately, so that clients cannot delay the driver.
///
/// - Concurrency: any thread may stop it.
final class V4L2Stream: CaptureStream {
    /// The time without a frame after which the device counts as stalled.
    static let stallNanoseconds: Int64 = 900_000_000

    let configuration: CaptureConfiguration
    private let device: V4L2Device
    private let buffers: V4L2Buffers
    private let samples: V4L2Samples
    private let attachments: PixelBufferAttachments
    private let pool: PlainPixelBufferPool
    private let decoder: CompressedFrames?
    private let receiver: @Sendable (CaptureStreamEvent) -> Void
    /// An event descriptor that `stop` signals.
    private let wakeup: Int32
    private let thread = Mutex<WorkerThread?>(nil)

    /// Negotiates a format with the driver and starts the delivery of frames.
    init(
        _ device: V4L2Device, _ requested: CaptureConfiguration, decoding: any SampleDecoding,
        receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) throws(CaptureError) {
        self.device = device
        self.receiver = receiver
        var agreed = requested
        let values = try Self.setFormat(requested.format, device)
        let pixels = withUnsafePointer(to: values) { ph_v4l2_pixels($0) }
        let planeRows = withUnsafePointer(to: values) { values in
            (0..<ph_v4l2_plane_count(values)).map { Int(ph_v4l2_plane_row(values, $0)) }
        }
        agreed.format.width = Int(pixels.width)
        agreed.format.height = Int(pixels.height)
        agreed.format.mediaSubType = V4L2Formats.text(pixels.pixelformat)
        agreed.format.color = V4L2Formats.color(pixels, agreed.format.mediaSubType)
        if requested.range != .unspecified { agreed.format.color.range = requested.range }
        agreed.frameDuration = Self.setFrameDuration(requested.requestedFrameDuration, device)
        guard V4L2Formats.known.contains(agreed.format.mediaSubType),
            (1...16_384).contains(agreed.format.width), (1...16_384).contains(agreed.format.height)
        else {
            throw CaptureError(
                .unsupportedFormat, subject: device.name,
                cause: "it delivers \(agreed.format) instead of \(requested.format)",
                remedy: "use another of its formats")
        }
        configuration = agreed
        let (width, height) = (agreed.format.width, agreed.format.height)
        var layout = V4L2Samples(
            subType: agreed.format.mediaSubType, width: width, height: height,
            bytesPerRow: Int(pixels.bytesperline), planeRows: planeRows)
        if layout.bytesPerRow < layout.minimumBytesPerRow {
            // Drivers may set the number of bytes per row to 0 if rows have no padding.
            layout = V4L2Samples(
                subType: layout.subType, width: width, height: height,
                bytesPerRow: layout.minimumBytesPerRow)
        }
        guard agreed.format.isCompressed || layout.planeByteCounts.count <= planeRows.count else {
            throw CaptureError(
                .unsupportedFormat, subject: device.name,
                cause: "it delivers \(agreed.format) in \(planeRows.count) planes, which is not "
                    + "supported",
                remedy: "use another of its formats")
        }
        samples = layout
        attachments = PixelBufferAttachments(
            color: agreed.format.color, fieldOrder: V4L2Formats.fieldOrder(pixels))
        // The pool holds as many frames as outputs hold at a time; memory beyond the limit is not
        // reused.
        pool = PlainPixelBufferPool(byteLimit: max(1, width * height * 2 * 16))
        if agreed.format.isCompressed {
            decoder = try CompressedFrames(
                of: agreed, decoding: decoding, subject: device.name, receiver: receiver)
        } else {
            decoder = nil
        }
        buffers = try V4L2Buffers(of: device, planeCount: planeRows.count)
        try buffers.setStreaming(true)
        wakeup = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard wakeup >= 0 else { throw device.failure(errno, while: "started") }
        decoder?.start()
        let thread = WorkerThread(name: "ph-camera") { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    deinit { if wakeup >= 0 { close(wakeup) } }

    // MARK: - Agreement

    private static func setFormat(
        _ format: CaptureFormat, _ device: V4L2Device
    ) throws(CaptureError) -> v4l2_format {
        var values = v4l2_format()
        values.type = device.bufferType
        ph_v4l2_set_pixels(
            &values, UInt32(clamping: format.width), UInt32(clamping: format.height),
            ph_v4l2_fourcc(format.mediaSubType))
        try device.perform("set to \(format)", &values, ph_v4l2_set_format)
        return values
    }

    /// Requests a frame duration and returns the one that the driver selects; `invalid` if it
    /// selects none.
    private static func setFrameDuration(
        _ duration: MediaTime, _ device: V4L2Device
    ) -> MediaTime {
        var values = v4l2_streamparm()
        values.type = device.bufferType
        guard ph_v4l2_get_parameters(device.descriptor, &values) == 0 else { return .invalid }
        let capture = ph_v4l2_capture(&values)!
        if capture.pointee.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0, duration.isNumeric,
            duration > .zero
        {
            capture.pointee.timeperframe = V4L2Formats.fraction(duration)
            guard ph_v4l2_set_parameters(device.descriptor, &values) == 0 else { return .invalid }
        }
        return V4L2Formats.duration(ph_v4l2_capture(&values).pointee.timeperframe) ?? .invalid
    }

    // MARK: - Frames

    /// The progress of the thread.
    private struct Progress {
        var clock = V4L2Clock()
        var sequence: UInt32?
        var lastArrival = HostClock.nanoseconds
        var hasStalled = false
        /// The number of times in succession that the driver has announced a frame and returned
        /// none.
        var emptyCount: Int32 = 0
    }

    /// The longest pause, in milliseconds, after the driver has announced a frame and returned
    /// none.
    private static let longestPause: Int32 = 10

    private func run() {
        var progress = Progress()
        do throws(CaptureError) {
            while try waitForFrames(&progress) {
                progress.emptyCount = min(progress.emptyCount + 1, Self.longestPause)
                while let buffer = try buffers.dequeue() {
                    try take(buffer, &progress)
                    progress.emptyCount = 0
                }
            }
        } catch {
            receiver(error.code == .deviceDisconnected ? .disconnected : .failed(error))
        }
        buffers.setStreamingOff()
        decoder?.stop()
    }

    /// Waits for a filled buffer, and reports a stall. Returns false once the stream is stopped.
    private func waitForFrames(_ progress: inout Progress) throws(CaptureError) -> Bool {
        // Without a pause, a driver that announces frames which it does not have would take a
        // whole processor.
        if progress.emptyCount > 0, isStopped(within: progress.emptyCount) { return false }
        while true {
            if !progress.hasStalled,
                HostClock.nanoseconds - progress.lastArrival >= Self.stallNanoseconds
            {
                progress.hasStalled = true
                receiver(.stalled)
            }
            var polled = [
                pollfd(fd: device.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
            ]
            var timeout: Int32 = -1
            if !progress.hasStalled {
                let end = progress.lastArrival + Self.stallNanoseconds
                timeout = Int32(clamping: max(0, end - HostClock.nanoseconds + 999_999) / 1_000_000)
            }
            let count = poll(&polled, 2, timeout)
            if polled[1].revents != 0 { return false }
            if count < 0 {
                guard errno == EINTR else { throw device.failure(errno, while: "read") }
                continue
            }
            if count == 0 { continue }
            let events = Int32(polled[0].revents)
            if events & POLLHUP != 0 { throw device.failure(ENODEV, while: "read") }
            if events & POLLIN != 0 { return true }
            // The queue has an error, which the next call of the driver reports.
            if events & POLLERR != 0 {
                if let buffer = try buffers.dequeue() { try take(buffer, &progress) }
                throw device.failure(EIO, while: "read")
            }
        }
    }

    /// Waits for some milliseconds. Returns true if the stream is stopped meanwhile.
    private func isStopped(within milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, milliseconds) > 0
    }

    /// Copies a frame, returns its buffer to the driver, and reports the frame and any frames that
    /// are missing before it.
    private func take(
        _ buffer: V4L2Buffers.Filled, _ progress: inout Progress
    ) throws(CaptureError) {
        let arrival = HostClock.nanoseconds
        progress.lastArrival = arrival
        progress.hasStalled = false
        let time = MediaTime(
            nanoseconds: progress.clock.time(
                stamp: buffer.nanoseconds, flags: buffer.flags, arrival: arrival))
        let gap = progress.sequence.map { Int(buffer.sequence &- $0) - 1 } ?? 0
        progress.sequence = buffer.sequence
        // If the driver does not count frames, or has restarted its count, no frames are reported
        // as missing.
        if (1...10_000).contains(gap) {
            receiver(.lost(count: gap, time: time, reason: .discontinuity))
        }
        let isWhole = buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) == 0 && isComplete(buffer.planes)
        guard isWhole else {
            try buffers.queue(buffer.index)
            receiver(.damaged(count: 1, time: time))
            return
        }
        if let decoder {
            let data = [UInt8](buffer.planes[0])
            try buffers.queue(buffer.index)
            decoder.add(
                CompressedFrames.Frame(
                    data: data, hostTime: time, arrivalTime: MediaTime(nanoseconds: arrival),
                    sequence: Int(buffer.sequence)))
            return
        }
        let picture = samples.copy(buffer.planes, attachments: attachments, pool: pool)
        try buffers.queue(buffer.index)
        receiver(
            .frame(
                CaptureFrame(
                    pixelBuffer: picture, hostTime: time,
                    arrivalTime: MediaTime(nanoseconds: arrival), sequence: Int(buffer.sequence))))
    }

    /// Returns whether a buffer holds a whole frame: all samples, or a JPEG image from its first
    /// marker to its last, which zeros may follow.
    private func isComplete(_ planes: [UnsafeRawBufferPointer]) -> Bool {
        let bytes = planes[0]
        switch configuration.format.mediaSubType {
        case "MJPG", "JPEG":
            guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return false }
            let end = bytes.lastIndex { $0 != 0 } ?? 0
            return end > 2 && bytes[end] == 0xD9 && bytes[end - 1] == 0xFF
        case "H264": return bytes.count > 4
        default:
            return zip(planes, samples.planeByteCounts).allSatisfy { $0.count >= $1 }
        }
    }

    func stop() {
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let thread else { return }
        var one: UInt64 = 1
        _ = write(wakeup, &one, MemoryLayout.size(ofValue: one))
        if !thread.isCurrent { thread.join() }
    }
}

extension V4L2Buffers {
    /// Stops streaming. A device that was disconnected has already stopped.
    fileprivate func setStreamingOff() { try? setStreaming(false) }
}
