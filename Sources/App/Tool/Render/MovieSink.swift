// SPDX-License-Identifier: Apache-2.0

import PlayheadEditing
import PlayheadUI

/// A destination of `render` that is a media file.
///
/// Frames are converted and encoded on one thread of the writer, audio on another, and the file is
/// written on a third.
final class MovieSink: RenderSink {
    /// The settings that do not depend on the frames.
    struct Settings {
        var codec: VideoCodecType
        var fileType: MediaFileType
        var bitRate: Int?
        var rateFactor: Int?
        var encoderPreset: String?
        var sampleFormat: VideoSampleFormat?
        var audioCodec: AudioCodecType?
        var audioBitRate: Int?
        /// A Boolean value that indicates whether high dynamic range is preserved.
        var keepsHDR = false
        /// A Boolean value that indicates whether a hardware encoder is tried first.
        var prefersHardware = false
        /// The current pass if there are two; nil for a single pass.
        var pass: EncodingPass?
        /// The paths of the inputs. None of them may be the output.
        var inputs: [String] = []
    }

    private let path: String
    private let settings: Settings
    private let audioCodec: AudioCodecType?
    private var writer: AssetWriter?
    private var video: AssetWriterInput?
    private var audio: AssetWriterInput?
    private(set) var drawnConverter: DrawnFrameConverter?

    init(_ path: String, settings: Settings) {
        self.path = path
        self.settings = settings
        audioCodec =
            settings.fileType.storesAudio
            ? settings.audioCodec ?? settings.codec.audioCodec(in: settings.fileType) : nil
    }

    var hasAlpha: Bool { drawnFormat.hasAlpha }
    var fileType: MediaFileType? { settings.pass?.isFirst == true ? nil : settings.fileType }
    var ticksPerSecond: Int32? { settings.fileType.ticksPerSecond }
    var takesSound: Bool { audioCodec != nil && settings.pass?.isFirst != true }
    var summary: String {
        settings.pass?.isFirst == true
            ? "the first of two passes" : "\(path) (\(settings.codec.rawValue))"
    }

    /// The steps of the size: the width must be a multiple of `x`, and the height a multiple of
    /// `y`. A step is 2 in a direction in which chroma is subsampled.
    var sizeStep: (x: Int, y: Int) {
        switch drawnFormat.model {
        case .yuv420: (2, 2)
        case .yuv422: (2, 1)
        case .yuv444, .rgb: (1, 1)
        }
    }

    func sampleRate(of rate: Int) -> Int {
        audioCodec.map { FFmpegWritingEngine().sampleRate(nearest: rate, for: $0) } ?? rate
    }

    // MARK: - Formats

    /// The format of drawn frames.
    private var drawnFormat: VideoSampleFormat {
        settings.sampleFormat ?? settings.codec.drawnSampleFormat
    }

    /// The maximum bit depth of encoded samples.
    private static let maximumBitDepth = 12
    /// The maximum bit depth that encoders accept for samples with alpha.
    private static let maximumAlphaBitDepth = 10

    func plainFormat(of frame: PixelBuffer) -> VideoSampleFormat? {
        let (source, attachments, color) = (frame.format, frame.attachments, frame.color)
        let stored = plainSampleFormat(of: source)
        let isHDR = color.transfer == .pq || color.transfer == .hlg
        guard source.model == .yCbCr, stored.model != .rgb, FrameScaler.takes(source),
            source.bitDepth <= Self.maximumBitDepth, attachments.fieldOrder == .progressive,
            !isHDR || (settings.keepsHDR && stored.bitDepth > 8),
            attachments.orientation == .up || settings.fileType.isMovie
        else { return nil }
        if source.hasAlpha {
            guard stored.hasAlpha, color.alpha == .straight,
                stored.bitDepth <= Self.maximumAlphaBitDepth
            else { return nil }
        }
        let step = (x: stored.model == .yuv444 ? 1 : 2, y: stored.model == .yuv420 ? 2 : 1)
        return frame.width % step.x == 0 && frame.height % step.y == 0 ? stored : nil
    }

    /// Returns the format in which frames of a layout are stored without being drawn.
    private func plainSampleFormat(of source: PixelFormat) -> VideoSampleFormat {
        if let format = settings.sampleFormat { return format }
        let own = VideoSampleFormat(of: source)
        var format =
            switch settings.codec {
            case .ffv1: own
            case .dnxHR: VideoSampleFormat(.yuv422, bitDepth: own.bitDepth > 8 ? 10 : 8)
            case .hevc, .av1: VideoSampleFormat(.yuv420, bitDepth: own.bitDepth > 8 ? 10 : 8)
            default: drawnFormat
            }
        if settings.keepsHDR, settings.codec != .ffv1 { format.bitDepth = max(format.bitDepth, 10) }
        format.hasAlpha = format.hasAlpha && source.hasAlpha
        return format
    }

    private func videoSettings(_ format: RenderFormat) -> VideoOutputSettings {
        var video = VideoOutputSettings(
            codec: settings.codec, width: format.width, height: format.height,
            sampleFormat: format.plain?.sampleFormat ?? drawnFormat,
            frameDuration: format.frameDuration)
        if let plain = format.plain {
            video.color = plain.color
            // These codecs cannot signal full range.
            if [.proRes, .dnxHR].contains(settings.codec) { video.color.range = .limited }
            video.masteringDisplayColorVolume = plain.attachments.masteringDisplayColorVolume
            video.contentLightLevel = plain.attachments.contentLightLevel
        }
        video.rateFactor = settings.rateFactor
        video.bitRate = settings.bitRate
        video.preset = settings.encoderPreset
        video.pass = settings.pass
        video.prefersHardware = settings.prefersHardware
        video.mediaTimeScale = settings.fileType == .gif ? 100 : format.timescale
        return video
    }

    // MARK: - Writing

    func begin(_ format: RenderFormat) throws {
        let writer = try AssetWriter(path: path, fileType: self.settings.fileType)
        writer.replacesExistingFile = true
        writer.discardsOutput = self.settings.pass?.isFirst == true
        writer.sourcePaths = self.settings.inputs
        writer.metadata = format.metadata
        writer.chapters = format.chapters
        let settings = videoSettings(format)
        let video = AssetWriterInput(video: settings)
        if format.plain == nil { drawnConverter = DrawnFrameConverter(to: settings) }
        if let attachments = format.plain?.attachments {
            video.orientation = attachments.orientation
            video.pixelAspectRatio = attachments.pixelAspectRatio
        }
        video.timecode = format.timecode
        try writer.add(video)
        if let sound = format.sound, let audioCodec {
            let bitRate = self.settings.audioBitRate ?? max(192_000, 64_000 * sound.channelCount)
            let audio = AssetWriterInput(
                audio: AudioOutputSettings(codec: audioCodec, format: sound, bitRate: bitRate))
            try writer.add(audio)
            self.audio = audio
        }
        try format.subtitles?.add(to: writer)
        try writer.startWriting()
        // The first of two passes has reported it.
        if self.settings.pass?.isFirst != false {
            for remark in video.remarks { Console.note("\(path): \(remark)") }
        }
        try writer.startSession(atSourceTime: .zero)
        self.writer = writer
        self.video = video
    }

    func append(_ frame: PixelBuffer, at time: MediaTime, duration: MediaTime) throws {
        // Encoders may be slower than the time that the program has to exit.
        try ExitDeadline.extended { try video?.appendAndWait(frame, at: time, duration: duration) }
    }

    func append(_ sound: AudioBuffer) throws { try audio?.appendAndWait(sound.following()) }

    func endFrames() throws { try video?.markAsFinished() }

    func endAudio() throws { try audio?.markAsFinished() }

    func finish() throws { try writer?.finishWritingAndWait() }

    func cancel() { writer?.cancelWriting() }
}
