// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// A format in which a device delivers frames.
///
/// - Corresponds to: `AVCaptureDevice.Format`.
public struct CaptureFormat: Sendable, Hashable, CustomStringConvertible {
    /// The four characters of the sample format, such as `YUYV`, `NV12`, `MJPG` or `H264`.
    public var mediaSubType: String
    /// The width in pixels; 0 if only the user's selection determines the size.
    public var width: Int
    /// The height in pixels; 0 if only the user's selection determines the size.
    public var height: Int
    /// The frame rates that the device offers in this format, fastest first.
    public var frameRateRanges: [CaptureFrameRateRange]
    /// The colour attachments that the driver declares. Values that the driver leaves unspecified
    /// are replaced by defaults.
    public var color: ColorAttachments
    /// The sample rate and the channels of an audio format; nil for a video format. An audio format
    /// has a width and a height of 0.
    public var audioFormat: AudioFormat?

    package init(
        mediaSubType: String, width: Int, height: Int, frameRateRanges: [CaptureFrameRateRange],
        color: ColorAttachments = ColorAttachments()
    ) {
        self.mediaSubType = mediaSubType
        self.width = width
        self.height = height
        self.frameRateRanges = frameRateRanges
        self.color = color
    }

    /// Creates the format of an audio device that delivers interleaved float samples.
    package init(audio format: AudioFormat) {
        self.init(mediaSubType: "lpcm", width: 0, height: 0, frameRateRanges: [])
        audioFormat = format
    }

    /// The shortest duration of a frame; `invalid` if the device does not state its rates.
    public var minFrameDuration: MediaTime {
        frameRateRanges.map(\.minFrameDuration).min() ?? .invalid
    }

    /// A Boolean value that indicates whether frames are compressed and need a decoder.
    public var isCompressed: Bool { Self.compressed.contains(mediaSubType) }

    private static let compressed: Set = ["MJPG", "JPEG", "H264"]

    /// The size, the sample format and the highest rate, such as `1280 x 720 YUYV, 30 fps`, or
    /// for audio `48000 Hz, 2 channels`.
    public var description: String {
        if let audioFormat {
            let count = audioFormat.channelCount
            return "\(audioFormat.sampleRate) Hz, \(count) \(count == 1 ? "channel" : "channels")"
        }
        let rate = minFrameDuration.isNumeric ? ", \(Self.rate(minFrameDuration)) fps" : ""
        let size = width == 0 && height == 0 ? "" : "\(width) x \(height) "
        return "\(size)\(mediaSubType)\(rate)"
    }

    /// Returns the frame rate for a frame duration, with at most two decimals, such as `29.97`.
    package static func rate(_ duration: MediaTime) -> String {
        guard duration.isNumeric, duration > .zero else { return "?" }
        let hundredths = Int((100 / duration.seconds).rounded())
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0
            ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
