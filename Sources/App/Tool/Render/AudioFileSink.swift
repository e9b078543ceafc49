// SPDX-License-Identifier: Apache-2.0

import PlayheadEditing
import PlayheadUI

/// A destination of `render` that is an audio file.
final class AudioFileSink: RenderAudioSink {
    private let path: String
    private let type: MediaFileType
    private var codec: AudioCodecType
    private let hasOwnDepth: Bool
    private let bitRate: Int?
    private var writer: AssetWriter?
    private var input: AssetWriterInput?

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - codec: the codec; nil for the default codec of the container. For PCM, the bit depth is
    ///     that of the source.
    init(
        _ path: String, type: MediaFileType, codec: AudioCodecType? = nil, bitRate: Int? = nil
    ) {
        self.path = path
        self.type = type
        self.bitRate = bitRate
        hasOwnDepth = codec == nil && type == .wave
        self.codec = codec ?? Self.codec(of: type)
    }

    /// Returns the default codec of a container.
    private static func codec(of type: MediaFileType) -> AudioCodecType {
        switch type {
        case .wave: .pcm16
        case .flac: .flac
        case .ogg: .opus
        default: .aac
        }
    }

    /// Returns the container for a path; nil unless it is a container for audio only.
    static func fileType(of path: String) -> MediaFileType? {
        MediaFileType(path: path).flatMap { $0.storesVideo ? nil : $0 }
    }

    /// A description of the output, for the closing message.
    var summary: String { "\(path) (\(codec.rawValue))" }

    func sampleRate(of rate: Int) -> Int {
        FFmpegWritingEngine().sampleRate(nearest: rate, for: codec)
    }

    /// Opens the file.
    ///
    /// - Parameters:
    ///   - isDeep: true if the source has samples of more than 16 bits.
    func begin(
        _ format: AudioFormat, isDeep: Bool, metadata: [MetadataItem], chapters: [Chapter]
    ) throws {
        if hasOwnDepth, isDeep { codec = .pcm24 }
        let writer = try AssetWriter(path: path, fileType: type)
        writer.replacesExistingFile = true
        writer.metadata = metadata
        writer.chapters = chapters
        let input = AssetWriterInput(
            audio: AudioOutputSettings(
                codec: codec, format: format,
                bitRate: bitRate ?? max(192_000, 64_000 * format.channelCount)))
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        self.writer = writer
        self.input = input
    }

    func append(_ sound: AudioBuffer) throws { try input?.appendAndWait(sound.following()) }

    func endAudio() throws { try input?.markAsFinished() }

    func finish() throws { try writer?.finishWritingAndWait() }

    func cancel() { writer?.cancelWriting() }
}

extension AudioBuffer {
    /// Returns the buffer without its time. A writer appends such a buffer to the previous buffer.
    func following() -> AudioBuffer {
        AudioBuffer(format: format, presentationTime: .invalid, frameCount: frameCount) { target in
            withSamples { _ = target.update(fromContentsOf: $0) }
        }
    }
}
