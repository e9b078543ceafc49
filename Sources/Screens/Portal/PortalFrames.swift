// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadCapturing
import PlayheadTime

/// The frames of a stream that the user has granted: copied, and with host times.
///
/// Frames keep the size of the first one, as those of X11 do. A frame that comes faster
/// than the rate waits, unless a newer one replaces it. If nothing is drawn, the last frame is
/// delivered again each second, without being copied, so that recordings continue.
///
/// - Concurrency: one thread.
final class PortalFrames {
    private let content: ScreenContent
    private let part: ScreenArea?
    private let requested: CaptureConfiguration
    private let receiver: @Sendable (CaptureStreamEvent) -> Void
    private let startTime = HostClock.nanoseconds
    /// The maximum time until the first frame, in nanoseconds.
    private let patience: Int64
    private var stamps = StampClock()
    private var pacer: FramePacer
    private var sequence = -1
    /// The newest frame, while it waits until the rate permits it.
    private var held: PixelBuffer?
    /// The frame that was delivered last.
    private var last: PixelBuffer?
    private var size: (width: Int, height: Int)?
    private var pool: PlainPixelBufferPool?
    private var failure: CaptureError?

    /// The maximum time from a frame's arrival to its own time, in nanoseconds. Some compositors
    /// state when the frame is shown. A later time is on another clock.
    private static let lead: Int64 = 100_000_000

    init(
        _ content: ScreenContent, part: ScreenArea?, _ requested: CaptureConfiguration,
        patienceNanoseconds: Int64, _ receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) {
        patience = patienceNanoseconds
        self.content = content
        self.part = part
        var agreed = requested
        let duration = requested.requestedFrameDuration
        agreed.frameDuration = duration.isNumeric ? duration : MediaTime(value: 1, timescale: 60)
        self.requested = agreed
        self.receiver = receiver
        pacer = FramePacer(periodNanoseconds: agreed.frameDuration.nanoseconds ?? 16_666_667)
    }

    /// The time until `look` has to be called, in nanoseconds.
    var waitNanoseconds: Int64 {
        let end =
            held == nil ? pacer.repetitionTime ?? startTime + patience : pacer.nextTime
        return max(0, end - HostClock.nanoseconds)
    }

    /// Delivers the frame that waits, or the last one again, if that is due. Returns the error if
    /// the stream has ended, or if there was no frame.
    func look() -> CaptureError? {
        if let failure { return failure }
        let now = HostClock.nanoseconds
        if let held {
            if pacer.isDue(at: now) { send(held, at: pacer.nextTime) }
            return nil
        }
        guard now >= pacer.repetitionTime ?? startTime + patience else { return nil }
        guard let last else {
            return CaptureError(
                .stalled, subject: content.noun,
                cause: "no frame has arrived within \(patience / 1_000_000_000) seconds",
                remedy: "check that a session manager of PipeWire runs, such as wireplumber, and "
                    + "that the window is visible")
        }
        send(last, at: max(stamps.time(arrival: now), pacer.nextTime))
        return nil
    }

    func handle(_ event: PipeWireStream.Event) {
        guard failure == nil else { return }
        switch event {
        case .format: break
        case .frame(let frame): deliver(frame)
        case .damaged:
            receiver(.damaged(count: 1, time: MediaTime(nanoseconds: HostClock.nanoseconds)))
        case .ended(let reason):
            failure = CaptureError(
                .deviceDisconnected, subject: content.noun,
                cause: "its frames have ended" + (reason.isEmpty ? "" : " (\(reason))"),
                remedy: "start again to select what is shared")
        }
    }

    private func deliver(_ frame: PipeWireFrame) {
        let arrival = HostClock.nanoseconds
        let time: Int64
        if let stamp = frame.time, stamp < arrival + Self.lead {
            time = stamps.time(stamp: stamp, arrival: arrival)
        } else {
            time = stamps.time(arrival: arrival)
        }
        guard let (width, height) = agree(frame) else { return }
        let area = part ?? ScreenArea(x: 0, y: 0, width: frame.width, height: frame.height)
        let buffer = PixelBuffer(
            format: ScreenSource.pixelFormat, width: width, height: height,
            attachments: PixelBufferAttachments(color: requested.format.color), pool: pool
        ) { _, bytes, bytesPerRow in
            frame.copy(area, to: bytes, bytesPerRow: bytesPerRow, width: width, height: height)
        }
        // The time of the frame that waits may have come before this one was drawn.
        if let held, pacer.isDue(at: time) { send(held, at: pacer.nextTime) }
        if pacer.isDue(at: time) { send(buffer, at: time) } else { held = buffer }
    }

    /// Returns the size of the frames, which the first one determines.
    private func agree(_ frame: PipeWireFrame) -> (width: Int, height: Int)? {
        if let size { return size }
        let whole = ScreenArea(x: 0, y: 0, width: frame.width, height: frame.height)
        let area = part ?? whole
        guard area.intersection(whole) == area else {
            failure = CaptureError(
                .unsupportedFormat, subject: content.noun,
                cause: "the part is not within its \(frame.width) x \(frame.height) pixels",
                remedy: "choose a smaller part")
            return nil
        }
        size = (area.width, area.height)
        pool = PlainPixelBufferPool(byteLimit: area.width * area.height * 4 * 16)
        var agreed = requested
        let duration = requested.frameDuration
        agreed.format.width = area.width
        agreed.format.height = area.height
        // Changing the format has reset it.
        agreed.frameDuration = duration
        receiver(.configured(agreed))
        return size
    }

    private func send(_ buffer: PixelBuffer, at time: Int64) {
        held = nil
        if last !== buffer { sequence += 1 }
        last = buffer
        let now = HostClock.nanoseconds
        pacer.note(time, deliveredAt: now)
        receiver(
            .frame(
                CaptureFrame(
                    pixelBuffer: buffer, hostTime: MediaTime(nanoseconds: time),
                    arrivalTime: MediaTime(nanoseconds: now), sequence: sequence)))
    }
}
