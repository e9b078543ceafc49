// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

@testable import PlayheadWriting

/// Frames, writers and readers that the tests share.
enum WritingSupport {
    static func time(_ frame: Int) -> MediaTime { MediaTime(value: Int64(frame), timescale: 25) }

    static let period = time(1)

    static func settings(
        _ codec: VideoCodecType = .ffv1, _ format: VideoSampleFormat? = nil, width: Int = 64,
        height: Int = 48
    ) -> VideoOutputSettings {
        VideoOutputSettings(
            codec: codec, width: width, height: height,
            sampleFormat: format ?? VideoSampleFormat(.yuv420, bitDepth: 8),
            frameDuration: period)
    }

    /// Makes a frame whose samples are those of `value`, by component, column and row.
    static func frame(
        _ format: PixelFormat, width: Int = 64, height: Int = 48,
        color: ColorAttachments = ColorAttachments(),
        value: (_ component: Int, _ x: Int, _ y: Int) -> Int
    ) -> PixelBuffer {
        PixelBuffer(
            format: format, width: width, height: height,
            attachments: PixelBufferAttachments(color: color)
        ) { plane, bytes, bytesPerRow in
            let size = format.planeSize(plane, width: width, height: height)
            for (index, component) in format.components.enumerated()
            where component.plane == plane {
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        let place = y * bytesPerRow + x * component.step + component.offset
                        let code = value(index, x, y)
                        if component.depth > 8 {
                            bytes.storeBytes(
                                of: UInt16(code), toByteOffset: place, as: UInt16.self)
                        } else {
                            bytes[place] = UInt8(code)
                        }
                    }
                }
            }
        }
    }

    /// Makes a frame of a brightness, which numbers it.
    static func gray(_ number: Int, width: Int = 64, height: Int = 48) -> PixelBuffer {
        frame(.yuv420p, width: width, height: height) { component, _, _ in
            component == 0 ? 16 + number % 220 : 128
        }
    }

    /// The number of a frame that `gray` made.
    static func number(_ frame: VideoFrame) -> Int {
        Int(SamplePlane(0, of: frame.pixelBuffer).samples[0]) - 16
    }

    static func writer(_ url: URL) throws -> AssetWriter {
        try AssetWriter(path: url.path, engine: FFmpegWritingEngine())
    }

    /// Adds inputs to a writer, and starts it.
    ///
    /// - Parameter time: The start of the session; nil to start none.
    static func start(
        _ writer: AssetWriter, _ inputs: [AssetWriterInput], at time: MediaTime? = .zero
    ) throws {
        for input in inputs { try writer.add(input) }
        try writer.startWriting()
        if let time { try writer.startSession(atSourceTime: time) }
    }

    /// Returns a writer that is started with inputs.
    ///
    /// - Parameter time: The start of the session; nil to start none.
    static func started(
        _ url: URL, _ inputs: [AssetWriterInput], at time: MediaTime? = .zero,
        configure: (AssetWriter) -> Void = { _ in }
    ) throws -> AssetWriter {
        let writer = try writer(url)
        configure(writer)
        try start(writer, inputs, at: time)
        return writer
    }

    /// Appends frames that are numbered by their brightness, from 0.
    static func append(_ count: Int, to input: AssetWriterInput) async throws {
        for number in 0..<count { try await input.append(gray(number), at: time(number)) }
    }

    /// Writes a file of frames that are numbered by their brightness.
    static func write(
        _ url: URL, count: Int = 10, codec: VideoCodecType = .ffv1,
        configure: (AssetWriter, AssetWriterInput) -> Void = { _, _ in }
    ) async throws {
        let writer = try writer(url)
        let input = AssetWriterInput(video: settings(codec))
        configure(writer, input)
        try start(writer, [input])
        try await append(count, to: input)
        try await writer.finishWriting()
    }

    static func asset(_ url: URL) -> URLAsset {
        let location = AssetLocation(url.path)
        return URLAsset(location: location, opener: FFmpegOpener(location))
    }

    static func frames(_ url: URL) throws -> [VideoFrame] {
        let reader = try AssetReader(asset: asset(url))
        let output = try reader.addVideoOutput()
        var frames: [VideoFrame] = []
        while let frame = try output.copyNextSampleBuffer() { frames.append(frame) }
        return frames
    }

    /// The end of a file's video, or of the whole file if the container states only that, as
    /// Matroska does.
    static func end(_ url: URL) throws -> MediaTime? {
        let description = try asset(url).openDemuxer(cancellation: Cancellation()).description
        let end = description.preferredTrack(of: .video)?.timeRange.end
        return end?.isNumeric == true ? end : description.end
    }

    static func samples(_ url: URL, format: AudioFormat) throws -> [Float] {
        let reader = try AssetReader(asset: asset(url))
        let output = try reader.addAudioOutput(format: format)
        var samples: [Float] = []
        while let buffer = try output.copyNextSampleBuffer() {
            buffer.withSamples { samples += $0 }
        }
        return samples
    }

    /// Makes audio that counts its samples, in steps that 24 bits represent exactly.
    static func count(
        from first: Int, _ count: Int, at time: MediaTime, format: AudioFormat
    ) -> AudioBuffer {
        AudioBuffer(format: format, presentationTime: time, frameCount: count) { samples in
            for index in samples.indices {
                samples[index] = Float(first + index / format.channelCount) / 8_388_608
            }
        }
    }

    /// The standard output of a program that has to succeed.
    static func output(_ arguments: [String]) throws -> String {
        String(decoding: try ProcessRunner.check(arguments).standardOutput, as: UTF8.self)
    }

    /// The MD5 of each packet of a stream, by ffmpeg.
    static func hashes(_ url: URL, stream: String) throws -> [String] {
        try output([
            "ffmpeg", "-v", "error", "-i", url.path, "-map", "0:\(stream)", "-c", "copy", "-f",
            "framehash", "-hash", "md5", "-",
        ]).split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    static func probe(_ url: URL, _ entries: String, stream: String = "v:0") throws -> [String:
        String]
    {
        let text = try output([
            "ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", entries, "-of",
            "default=noprint_wrappers=1", url.path,
        ])
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2, values[parts[0]] == nil { values[parts[0]] = parts[1] }
        }
        return values
    }

    /// Runs a body and returns the code of its error, which has to name the file and, unless the
    /// user cancelled, a remedy.
    static func code(_ body: () async throws -> Void) async -> MediaWritingError.Code? {
        do {
            try await body()
            return nil
        } catch {
            guard let error = error as? MediaWritingError else { return nil }
            #expect(!error.subject.isEmpty, "\(error)")
            #expect(error.code == .cancelled || !error.remedy.isEmpty, "\(error)")
            return error.code
        }
    }
}
