// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime

@testable import PlayheadExport
@testable import PlayheadWriting

/// Sources, sessions and readers that the tests share.
enum ExportSupport {
    static let rate = 48_000
    static let stereo = AudioFormat.stereo(sampleRate: rate)

    static func time(_ frame: Int) -> MediaTime { MediaTime(value: Int64(frame), timescale: 25) }

    /// Makes a frame whose luma is its number, with a mark in its upper left quarter.
    static func frame(
        _ number: Int, width: Int = 64, height: Int = 48, color: ColorAttachments = .init()
    ) -> PixelBuffer {
        PixelBuffer(
            format: .yuv420p, width: width, height: height,
            attachments: PixelBufferAttachments(color: color)
        ) { plane, bytes, bytesPerRow in
            let isLuma = plane == 0
            let size = isLuma ? (width, height) : ((width + 1) / 2, (height + 1) / 2)
            for y in 0..<size.1 {
                for x in 0..<size.0 {
                    let isMark = isLuma && x < size.0 / 2 && y < size.1 / 2
                    bytes[y * bytesPerRow + x] = isLuma ? UInt8(number + (isMark ? 40 : 0)) : 128
                }
            }
        }
    }

    /// The number of a frame that `frame` made.
    static func number(_ frame: VideoFrame) -> Int {
        let plane = SamplePlane(0, of: frame.pixelBuffer)
        return Int(plane.samples[plane.samples.count - 1])
    }

    /// Makes stereo audio that counts its frames from 1, in steps that 24 bits represent exactly.
    static func count(_ frames: Int, step: Int = 1) -> AudioBuffer {
        AudioBuffer(format: stereo, presentationTime: .zero, frameCount: frames) { samples in
            for index in samples.indices {
                samples[index] = Float((1 + index / 2) * step) / 8_388_608
            }
        }
    }

    /// Writes a source: frames numbered from `first`, and audio that counts.
    static func write(
        _ url: URL, frames: Int = 25, first: Int = 40, audioFrames: Int? = nil, step: Int = 1,
        codec: VideoCodecType = .ffv1, size: (Int, Int) = (64, 48),
        orientation: PictureOrientation = .up,
        configure: (AssetWriter) -> Void = { _ in }
    ) async throws {
        let writer = try AssetWriter(path: url.path, engine: FFmpegWritingEngine())
        configure(writer)
        var settings = VideoOutputSettings(
            codec: codec, width: size.0, height: size.1, sampleFormat: .init(.yuv420),
            frameDuration: time(1))
        if codec == .h264 { settings.rateFactor = 0 }
        let video = AssetWriterInput(video: settings)
        video.orientation = orientation
        let audio = AssetWriterInput(
            audio: AudioOutputSettings(codec: codec == .h264 ? .aac : .flac, format: stereo))
        if frames > 0 { try writer.add(video) }
        let samples = audioFrames ?? frames * rate / 25
        if samples > 0 { try writer.add(audio) }
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        for number in 0..<frames {
            try await video.append(
                frame(first + number, width: size.0, height: size.1), at: time(number))
        }
        if samples > 0 { try await audio.append(count(samples, step: step)) }
        try await writer.finishWriting()
    }

    static func asset(_ url: URL) -> URLAsset {
        let location = AssetLocation(url.path)
        return URLAsset(location: location, opener: FFmpegOpener(location))
    }

    static func session(_ asset: Asset, _ preset: AssetExportPreset) -> AssetExportSession {
        AssetExportSession(asset: asset, preset: preset, engine: FFmpegWritingEngine())
    }

    static func session(_ url: URL, _ preset: AssetExportPreset) -> AssetExportSession {
        let session = session(asset(url), preset)
        session.sourcePaths = [url.path]
        return session
    }

    static func description(_ url: URL) throws -> AssetDescription {
        try asset(url).openDemuxer(cancellation: Cancellation()).description
    }

    static func frames(_ url: URL) throws -> [VideoFrame] {
        let output = try AssetReader(asset: asset(url)).addVideoOutput()
        var frames: [VideoFrame] = []
        while let frame = try output.copyNextSampleBuffer() { frames.append(frame) }
        return frames
    }

    /// The left channel, in the steps of `count`.
    static func samples(_ url: URL) throws -> [Int] {
        let output = try AssetReader(asset: asset(url)).addAudioOutput(format: stereo)
        var samples: [Int] = []
        while let buffer = try output.copyNextSampleBuffer() {
            buffer.withSamples { values in
                for index in stride(from: 0, to: values.count, by: 2) {
                    samples.append(Int((values[index] * 8_388_608).rounded()))
                }
            }
        }
        return samples
    }

    /// The MD5 of each packet of a stream, by ffprobe.
    static func hashes(_ url: URL, stream: String) throws -> [String] {
        let output = try ProcessRunner.check([
            "ffprobe", "-v", "error", "-select_streams", stream, "-show_packets",
            "-show_data_hash", "MD5", "-show_entries", "packet=data_hash", "-of", "csv=p=0",
            url.path,
        ]).standardOutput
        return String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .punctuationCharacters) }
            // Other lines are side data.
            .filter { $0.hasPrefix("MD5:") }
    }

    static func code(_ body: () async throws -> Void) async -> MediaWritingError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? MediaWritingError)?.code
        }
    }
}
