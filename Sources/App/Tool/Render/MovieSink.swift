// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// A destination of `render` that is a media file.
final class MovieSink: RenderSink {
    private let path: String
    private let codec: MovieCodec
    private var writer: MovieWriter?

    init(_ path: String, codec: MovieCodec) {
        self.path = path
        self.codec = codec
    }

    var hasAlpha: Bool { codec.hasAlpha }
    var takesSound: Bool { true }
    /// Subsampled chroma planes need even sizes.
    var sizeStep: Int { codec == .ffv1 || codec == .prores ? 1 : 2 }
    var summary: String { "\(path) (\(codec.rawValue))" }

    func sampleRate(of rate: Int) -> Int { codec.soundRate(nearest: rate) }

    func begin(
        width: Int, height: Int, frameDuration: MediaTime, timescale: Int32, sound: AudioFormat?
    ) throws {
        writer = try MovieWriter(
            path,
            settings: MovieSettings(
                codec: codec, width: width, height: height, timescale: timescale,
                frameDuration: frameDuration, sound: sound))
    }

    func append(_ image: RGBAImage, at time: MediaTime, duration: MediaTime) throws {
        try writer?.append(image, at: time, duration: duration)
    }

    func append(_ sound: AudioBuffer) throws { try writer?.append(sound) }

    func finish() throws { try writer?.finish() }
}
