// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// A destination of `render` that is an audio file.
final class AudioFileSink: RenderAudioSink {
    private let path: String
    private let codec: AudioCodec
    private var writer: AudioFileWriter?

    init(_ path: String, codec: AudioCodec) {
        self.path = path
        self.codec = codec
    }

    /// A description of the output, for the closing message.
    var summary: String { "\(path) (\(codec.rawValue))" }

    func sampleRate(of rate: Int) -> Int { codec.sampleRate(nearest: rate) }

    func begin(_ format: AudioFormat, bitDepth: Int) throws {
        writer = try AudioFileWriter(path, codec: codec, format: format, bitDepth: bitDepth)
    }

    func append(_ sound: AudioBuffer) throws { try writer?.append(sound) }

    func finish() throws { try writer?.finish() }
}
