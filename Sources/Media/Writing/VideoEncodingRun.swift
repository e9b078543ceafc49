// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// The work of the thread that encodes a video input. It places frames in the session and encodes
/// them.
///
/// A frame waits for the next frame, whose time determines its duration.
///
/// - Concurrency: one thread.
struct VideoEncodingRun: ~Copyable {
    private let encoder: any VideoSampleEncoder
    private let core: WriterCore
    private let lane: Int
    private let settings: VideoOutputSettings
    private var held: (buffer: PixelBuffer, time: MediaTime, duration: MediaTime)?
    private var converter: FrameConverter?
    /// The duration of the previous frame, in units of the settings' timescale.
    private var lastDuration: Int64
    /// The times at which segments begin; nil for a file.
    private var schedule: SegmentSchedule?

    init(
        _ encoder: any VideoSampleEncoder, _ settings: VideoOutputSettings, core: WriterCore,
        lane: Int
    ) {
        self.encoder = encoder
        self.settings = settings
        self.core = core
        self.lane = lane
        schedule = core.segmentInterval.map { SegmentSchedule(interval: $0) }
        lastDuration =
            settings.frameDuration.isNumeric
            ? max(1, settings.frameDuration.converted(toTimescale: settings.timescale).value) : 1
    }

    consuming func run() throws(MediaWritingError) {
        while let sample = core.nextSample(of: lane) {
            guard case .frame(let buffer, let time, let duration) = sample else { continue }
            try encodeHeld(until: time)
            held = (buffer, time, duration)
        }
        guard core.isActive else { return }
        try encodeHeld(until: nil)
        while core.isActive {
            let packets = try encoder.encode(nil, at: 0, duration: 0, isKeyframe: false)
            if packets.isEmpty { return }
            core.enqueue(packets, of: lane)
        }
    }

    /// Encodes the waiting frame, if a part of it is within the session.
    ///
    /// - Parameter next: The time of the frame that follows; nil after the last frame.
    private mutating func encodeHeld(until next: MediaTime?) throws(MediaWritingError) {
        guard let (buffer, time, own) = held else { return }
        held = nil
        let session = core.session
        var end = next ?? (own.isNumeric && own > .zero ? time + own : .invalid)
        if next == nil, session.end.isNumeric { end = session.end }
        end = end.isNumeric ? min(end, session.end) : end
        if time >= session.end || (end.isNumeric && end <= session.start) { return }
        // A frame has no duration only if it begins before the session, and if less than a time
        // unit of it is within the session.
        if let next, time < session.start, storedTick(next, session.start) == 0 { return }
        let tick = ticks(max(time, session.start) - session.start)
        if end.isNumeric { lastDuration = max(1, ticks(end - session.start) - tick) }
        let frame: PixelBuffer
        if FrameConverter.isUnchanged(buffer, by: settings) {
            frame = buffer
        } else {
            if converter == nil { converter = FrameConverter(to: settings) }
            guard let converted = converter?.convert(buffer) else { return }
            frame = converted
        }
        let isKeyframe =
            schedule?.begins(at: MediaTime(value: tick, timescale: settings.timescale)) ?? false
        core.enqueue(
            try encoder.encode(
                frame, at: tick, duration: lastDuration, isKeyframe: isKeyframe), of: lane)
        core.noteEncoded(
            MediaTime(value: tick + lastDuration, timescale: settings.timescale), of: lane)
    }

    /// Returns a time in the units of the container.
    private func storedTick(_ time: MediaTime, _ start: MediaTime) -> Int64 {
        core.monitor.withLock { $0.writing.tick(time - start, $0.writing.inputs[lane].timescale) }
    }

    private func ticks(_ time: MediaTime) -> Int64 {
        time.converted(toTimescale: settings.timescale).value
    }
}
