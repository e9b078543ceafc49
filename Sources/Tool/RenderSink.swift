// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// Where rendered frames go.
protocol RenderSink: AnyObject {
    /// Whether what shows through is kept.
    var hasAlpha: Bool { get }
    /// Whether sound is taken.
    var takesSound: Bool { get }
    /// Sizes are multiples of this.
    var sizeStep: Int { get }
    /// Rate that sound has to have; nil for any.
    var sampleRate: Int? { get }

    /// Says what is to come, before the first frame.
    func begin(
        width: Int, height: Int, frameDuration: MediaTime, timescale: Int32, sound: AudioFormat?)
        throws
    func append(_ image: RGBAImage, at time: MediaTime) throws
    func append(_ sound: AudioBuffer) throws
    func finish() throws
    /// What was written, for people.
    var summary: String { get }
}

/// A film.
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
    /// Chroma of two by two pixels.
    var sizeStep: Int { codec == .ffv1 || codec == .prores ? 1 : 2 }
    /// Opus knows 48 kHz.
    var sampleRate: Int? { codec == .vp9 ? 48_000 : nil }
    var summary: String { "\(path) (\(codec.rawValue))" }

    func begin(
        width: Int, height: Int, frameDuration: MediaTime, timescale: Int32, sound: AudioFormat?
    ) throws {
        writer = try MovieWriter(
            path,
            settings: MovieWriter.Settings(
                codec: codec, width: width, height: height, timescale: timescale,
                frameDuration: frameDuration, sound: sound))
    }

    func append(_ image: RGBAImage, at time: MediaTime) throws {
        try writer?.append(image, at: time)
    }

    func append(_ sound: AudioBuffer) throws { try writer?.append(sound) }

    func finish() throws { try writer?.finish() }
}

/// A PNG a frame, numbered from 1.
final class PictureSequence: RenderSink {
    private let before: String
    private let after: String
    private let digits: Int
    private var count = 0

    /// - Parameter pattern: such as `frame-%04d.png`; without the number it stands before the ending.
    init(_ pattern: String) {
        if let percent = pattern.lastIndex(of: "%"),
            let end = pattern[percent...].firstIndex(of: "d")
        {
            before = String(pattern[..<percent])
            after = String(pattern[pattern.index(after: end)...])
            digits = Int(pattern[pattern.index(after: percent)..<end]) ?? 1
        } else {
            before = pattern.dropLast(4) + "-"
            after = String(pattern.suffix(4))
            digits = 5
        }
    }

    var hasAlpha: Bool { true }
    var takesSound: Bool { false }
    var sizeStep: Int { 1 }
    var sampleRate: Int? { nil }
    var summary: String { "\(count) pictures, the last \(path(count))" }

    private func path(_ number: Int) -> String {
        let text = String(number)
        return before + String(repeating: "0", count: max(0, digits - text.count)) + text + after
    }

    func begin(
        width: Int, height: Int, frameDuration: MediaTime, timescale: Int32, sound: AudioFormat?
    ) throws {
        try OutputFile.check(path(1))
    }

    func append(_ image: RGBAImage, at time: MediaTime) throws {
        count += 1
        try ImageFile.writePNG(image, to: path(count))
    }

    func append(_ sound: AudioBuffer) throws {}
    func finish() throws {}
}
