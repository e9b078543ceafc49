// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// The totals of a frame ledger; its words are defined there.
///
/// Encodes to the keys of the tool's `--stats-json`.
public struct FrameStatistics: Sendable, Hashable {
    /// Frames that the decoder has given.
    public var decoded: Int
    /// Frames that were shown.
    public var presented: Int
    /// Vsyncs at which a frame was due and the one before stayed.
    public var repeated: Int
    /// Frames that were never shown.
    public var dropped: Int
    /// Frames that were shown after their slot.
    public var late: Int
    /// From the first picture's vsync to the end of the last one's.
    public var duration: MediaTime
    /// The part of it in which no picture came for more than a second, as in a pause.
    package var rest: MediaTime
    /// From the start of playback to the first picture's vsync.
    package var firstFrameDelay: MediaTime?
    /// How much later the sound of a moment was heard than its picture was seen.
    public var audioVideoOffset: Distribution
    /// How much later than their slots pictures were seen.
    public var slotError: Distribution
    /// How long uploads took.
    public var upload: Distribution
    /// How long drawing took.
    public var draw: Distribution
    /// How long the GPU took for uploads and for drawing; none where that is not measured.
    package var gpuUpload: Distribution
    package var gpuDraw: Distribution
    /// Where the times of vsyncs came from last.
    public var source: TimingSource?

    /// Pictures presented a second, while they were.
    public var framesPerSecond: Double {
        duration > rest ? Double(presented) / (duration - rest).seconds : 0
    }
}

extension FrameStatistics: Encodable {
    private enum CodingKeys: String, CodingKey {
        case decoded, presented, repeated, dropped, late, fps
        case duration = "duration_s"
        case firstFrameDelay = "first_frame_ms"
        case audioVideoOffset = "av_offset_ms"
        case slotError = "slot_error_ms"
        case upload = "upload_ms"
        case draw = "draw_ms"
        case gpuUpload = "gpu_upload_ms"
        case gpuDraw = "gpu_draw_ms"
        case source = "timing_source"
    }

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
        try container.encode(audioVideoOffset, forKey: .audioVideoOffset)
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
