// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// The totals of a frame ledger; `FrameLedger` defines the terms.
///
/// The totals are encoded with the keys of the tool's `--stats-json`.
public struct FrameStatistics: Sendable, Hashable {
    /// The number of decoded frames.
    public var decoded: Int
    /// The number of frames that were shown.
    public var presented: Int
    /// The number of vsyncs at which a frame was due but the previous one was still shown.
    public var repeated: Int
    /// The number of frames that were due and never shown.
    public var dropped: Int
    /// The number of frames that were shown at a later vsync than their slot.
    public var late: Int
    /// The time from the vsync of the first frame to the end of the last frame.
    public var duration: MediaTime
    /// The part of `duration` that consists of gaps of more than a second between frames, as during
    /// a pause.
    package var rest: MediaTime
    /// The time from the start of playback to the vsync of the first frame.
    package var firstFrameDelay: MediaTime?
    /// The delay of frames relative to the timeline, which audio follows: the time from the moment
    /// at which a frame is due to the vsync at which the frame is shown.
    package var timelineOffset: Distribution
    /// The delay of frames relative to their slots.
    package var slotError: Distribution
    /// The durations of uploads.
    public var upload: Distribution
    /// The durations of draw calls.
    public var draw: Distribution
    /// The durations of uploading and drawing on the GPU; empty if they are not measured.
    package var gpuUpload: Distribution
    package var gpuDraw: Distribution
    /// The source of vsync times at the end of the run.
    public var source: TimingSource?

    /// The number of frames presented per second, not counting gaps.
    public var framesPerSecond: Double {
        duration > rest ? Double(presented) / (duration - rest).seconds : 0
    }
}

extension FrameStatistics: Encodable {
    private enum CodingKeys: String, CodingKey {
        case decoded, presented, repeated, dropped, late, fps
        case duration = "duration_s"
        case firstFrameDelay = "first_frame_ms"
        case timelineOffset = "timeline_offset_ms"
        case slotError = "slot_error_ms"
        case upload = "upload_ms"
        case draw = "draw_ms"
        case gpuUpload = "gpu_upload_ms"
        case gpuDraw = "gpu_draw_ms"
        case source = "timing_source"
    }

    /// Encodes the totals with the keys of `--stats-json`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(decoded, forKey: .decoded)
        try container.encode(presented, forKey: .presented)
        try container.encode(repeated, forKey: .repeated)
        try container.encode(dropped, forKey: .dropped)
        try container.encode(late, forKey: .late)
        try container.encode(framesPerSecond, forKey: .fps)
        try container.encode(duration.seconds, forKey: .duration)
        try container.encode(firstFrameDelay.map { $0.seconds * 1e3 }, forKey: .firstFrameDelay)
        try container.encode(timelineOffset, forKey: .timelineOffset)
        try container.encode(slotError, forKey: .slotError)
        try container.encode(upload, forKey: .upload)
        try container.encode(draw, forKey: .draw)
        if gpuDraw.count > 0 {
            try container.encode(gpuUpload, forKey: .gpuUpload)
            try container.encode(gpuDraw, forKey: .gpuDraw)
        }
        try container.encode(source, forKey: .source)
    }
}
