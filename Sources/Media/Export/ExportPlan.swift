// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadTime
package import PlayheadWriting

/// The plan of an export: the settings of the tracks that it writes and the expected file size.
///
/// It is a plain value and uses no threads or files.
package struct ExportPlan {
    /// The settings of a video track.
    package struct Video {
        package var settings: VideoOutputSettings
        package var geometry: ExportGeometry
        /// A Boolean value that indicates whether a high dynamic range is mapped to BT.709.
        package var isToneMapped: Bool

        package init(
            settings: VideoOutputSettings, geometry: ExportGeometry, isToneMapped: Bool = false
        ) {
            self.settings = settings
            self.geometry = geometry
            self.isToneMapped = isToneMapped
        }
    }

    private(set) var video: Video?
    private(set) var audio: AudioOutputSettings?
    /// The expected size, in bytes; nil if the duration is not known.
    private(set) var byteCount: Int64?

    /// The maximum size of the container's own data, as a fraction of the size of the samples.
    private static let overhead = 0.02
    /// The minimum bit rate of encoded video, in bits per second.
    private static let minimumVideoBitRate = 30_000

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - picture: The properties of the source's frames; nil for those that the track declares.
    ///   - duration: The duration of the range, or nil if it is not known.
    ///   - sampleRate: A function that returns the sample rate at which a codec stores audio with a
    ///     given sample rate.
    init(
        _ source: ExportSource, picture: ExportPicture?, duration: MediaTime?,
        job: ExportJob, sampleRate: (Int, AudioCodecType) -> Int
    ) throws(MediaWritingError) {
        let preset = job.preset
        guard preset.fileTypes.contains(job.fileType) else {
            throw MediaWritingError(
                .unsupportedFormat, subject: job.path,
                cause: "the preset \(preset.name) does not support \(job.fileType.rawValue) files",
                remedy: "use one of "
                    + preset.fileTypes.compactMap { $0.pathExtensions.first.map { ".\($0)" } }
                    .joined(separator: ", "))
        }
        if let codec = preset.videoCodec, let track = source.video, job.fileType.storesVideo {
            video = Self.video(
                track, picture ?? ExportPicture(track), codec, preset, job,
                isComposition: source.isComposition)
        }
        if let codec = preset.audioCodec, job.fileType.storesAudio {
            audio = try Self.audio(source, codec, preset, job, sampleRate)
        }
        guard video != nil || audio != nil else {
            throw MediaWritingError(
                .noSamples, subject: source.subject,
                cause: "it has neither video nor audio that the preset \(preset.name) encodes",
                remedy: "use another preset, or media with video or audio")
        }
        try limit(source, duration, job)
    }

    // MARK: - Video

    private static func video(
        _ track: AssetTrack, _ picture: ExportPicture?, _ codec: VideoCodecType,
        _ preset: AssetExportPreset, _ job: ExportJob, isComposition: Bool
    ) -> Video? {
        guard let picture else { return nil }
        var format = preset.sampleFormat ?? picture.sampleFormat
        if codec == .gif { format = codec.defaultSampleFormat }
        format.hasAlpha = format.hasAlpha && picture.sampleFormat.hasAlpha
        let keepsRange = format.bitDepth > 8 && format.model != .rgb
        let isToneMapped = picture.isHDR && !keepsRange
        let geometry = ExportGeometry(
            picture, limits: (preset.maximumLongSide, preset.maximumShortSide),
            renderSize: job.renderSize, format: format,
            keepsOrientation: job.fileType.isMovie && !isComposition && job.renderSize == nil)
        var color = picture.color
        if isToneMapped || picture.model != .yCbCr {
            color = ColorAttachments(
                matrix: .bt709, range: .limited, primaries: .bt709, transfer: .bt709,
                chromaLocation: .left)
            if picture.model == .rgb, !isToneMapped { color.primaries = picture.color.primaries }
        }
        color.alpha = .straight
        if format.model == .rgb { color = ColorAttachments(range: .full) }
        var settings = VideoOutputSettings(
            codec: codec, width: geometry.width, height: geometry.height, sampleFormat: format,
            color: color, frameDuration: period(of: track))
        if !isToneMapped {
            settings.masteringDisplayColorVolume = picture.attachments.masteringDisplayColorVolume
            settings.contentLightLevel = picture.attachments.contentLightLevel
        }
        settings.rateFactor = preset.rateFactor
        settings.maximumBitRate = preset.maximumVideoBitRate
        settings.preset = preset.encoderPreset
        settings.mediaTimeScale = timescale(of: track, settings.frameDuration, job.fileType)
        return Video(settings: settings, geometry: geometry, isToneMapped: isToneMapped)
    }

    private static func period(of track: AssetTrack) -> MediaTime {
        if track.frameDuration.isNumeric, track.frameDuration > .zero { return track.frameDuration }
        guard track.nominalFrameRate > 0 else { return MediaTime(value: 1, timescale: 30) }
        return MediaTime(value: 1000, timescale: Int32((track.nominalFrameRate * 1000).rounded()))
    }

    /// Returns a timescale in which the source's times are whole numbers.
    private static func timescale(
        of track: AssetTrack, _ period: MediaTime, _ type: MediaFileType
    ) -> Int32 {
        if type == .gif { return 100 }
        var scale = Int64(max(track.timeUnit.timescale, period.timescale, 1))
        while scale < 10_000 { scale *= 2 }
        return Int32(clamping: scale)
    }

    // MARK: - Audio

    private static func audio(
        _ source: ExportSource, _ codec: AudioCodecType, _ preset: AssetExportPreset,
        _ job: ExportJob, _ sampleRate: (Int, AudioCodecType) -> Int
    ) throws(MediaWritingError) -> AudioOutputSettings? {
        let declared = source.audio.compactMap(\.formatDescription.audio)
            .filter { $0.sampleRate > 0 && $0.channelCount > 0 }
        guard let first = declared.first else { return nil }
        if job.audioMix?.inputParameters.contains(where: { !$0.taps.isEmpty }) == true {
            throw MediaWritingError(
                .unsupportedFormat, subject: job.path,
                cause: "the audio mix has taps, which run only with an audio device",
                remedy: "export without taps")
        }
        let rate = sampleRate(declared.map(\.sampleRate).max() ?? first.sampleRate, codec)
        let format = ExportAudio.format(of: declared, sampleRate: rate)
        let bitRate = (preset.audioBitRate ?? 128_000) * format.channelCount / 2
        return AudioOutputSettings(codec: codec, format: format, bitRate: bitRate)
    }

    /// Returns the bit rate of an audio track, in bits per second.
    private static func bitRate(_ audio: AudioOutputSettings) -> Int {
        let samples = audio.format.sampleRate * audio.format.channelCount
        return switch audio.codec {
        case .aac, .opus: audio.usedBitRate
        case .pcm16: samples * 16
        case .pcm24: samples * 24
        case .pcmFloat: samples * 32
        // Lossless codecs reduce music to somewhat more than half.
        case .flac, .alac: samples * 24 * 6 / 10
        }
    }

    // MARK: - Size

    /// Estimates the size, and lowers bit rates to meet the maximum size.
    private mutating func limit(
        _ source: ExportSource, _ duration: MediaTime?, _ job: ExportJob
    ) throws(MediaWritingError) {
        guard let seconds = duration?.seconds, seconds > 0 else {
            guard job.fileLengthLimit == nil else {
                throw MediaWritingError(
                    .maximumSizeExceeded, subject: job.path,
                    cause: "the duration of \(source.subject) is not known",
                    remedy: "set a time range, or leave out the maximum size")
            }
            return
        }
        let estimate = estimatedBitRate * seconds / 8 * (1 + Self.overhead)
        byteCount = Int64(estimate)
        guard let limit = job.fileLengthLimit else { return }
        // A container needs a few kilobytes even if the media is short.
        let available = Double(max(limit - 8192, 0)) * 8 / seconds / (1 + Self.overhead)
        let sound = audio.map { Double(Self.bitRate($0)) } ?? 0
        guard var video else {
            guard sound > available else { return }
            throw Self.tooLarge(job, limit, Int64(estimate) + 8192)
        }
        // The encoder may exceed the mean rate by two seconds' worth of bits.
        let rate = Int((available - sound) * seconds / (seconds + 2))
        switch video.settings.codec {
        case .h264, .hevc:
            video.settings.maximumBitRate = min(video.settings.maximumBitRate ?? .max, rate)
        case .av1, .vp9: video.settings.bitRate = rate * 9 / 10
        default:
            guard estimate > Double(limit) else { return }
            throw Self.tooLarge(job, limit, Int64(estimate))
        }
        guard rate >= Self.minimumVideoBitRate else {
            let least = (Double(Self.minimumVideoBitRate) * (seconds + 2) + sound * seconds) / 8
            throw Self.tooLarge(job, limit, Int64(least * (1 + Self.overhead)) + 8192)
        }
        self.video = video
        byteCount = min(byteCount ?? limit, limit)
    }

    private static func tooLarge(
        _ job: ExportJob, _ limit: Int64, _ needed: Int64
    ) -> MediaWritingError {
        MediaWritingError(
            .maximumSizeExceeded, subject: job.path,
            cause: "the preset \(job.preset.name) needs about \(needed) bytes, but "
                + "\(limit) are allowed",
            remedy: "allow more, shorten the range, or use a smaller preset")
    }

    /// The expected bit rate of all tracks, in bits per second.
    private var estimatedBitRate: Double {
        var rate = audio.map { Double(Self.bitRate($0)) } ?? 0
        guard let settings = video?.settings else { return rate }
        let pixels =
            Double(settings.width * settings.height) / max(settings.frameDuration.seconds, 0.001)
        // Returns the bits per pixel of typical camera footage. They double with every six steps
        // that the rate factor is lowered.
        func typical(_ bits: Double, at factor: Int) -> Double {
            bits * exp2(Double(factor - (settings.rateFactor ?? factor)) / 6)
        }
        let isFull = settings.sampleFormat.model == .yuv444
        var bits: Double
        switch settings.codec {
        case .h264: bits = typical(0.06, at: 23)
        case .hevc: bits = typical(0.04, at: 24)
        case .av1: bits = typical(0.035, at: 30)
        case .vp9: bits = typical(0.05, at: 24)
        // From Apple's white paper on ProRes: 220 and 330 Mbit/s at 1920 x 1080 and 29.97 frames/s.
        case .proRes: bits = isFull ? 5.3 : 3.55
        case .dnxHR: bits = isFull ? 7 : 3.5
        case .motionJPEG: bits = 1.5
        case .ffv1, .apng: bits = Double(settings.sampleFormat.bitDepth) * 0.75
        case .gif: bits = 3
        case .webP: bits = 0.3
        }
        bits *= pixels
        if let maximum = settings.maximumBitRate { bits = min(bits, Double(maximum)) }
        rate += settings.bitRate.map(Double.init) ?? bits
        return rate
    }
}
