// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Where rendered frames go.
protocol RenderSink: AnyObject {
    /// Whether what shows through is kept.
    var hasAlpha: Bool { get }
    /// Whether sound is taken.
    var takesSound: Bool { get }
    /// Sizes are multiples of this.
    var sizeStep: Int { get }
    /// The rate that sound is given which has another.
    func sampleRate(of rate: Int) -> Int

    /// Says what is to come, before the first frame.
    func begin(
        width: Int, height: Int, frameDuration: MediaTime, timescale: Int32, sound: AudioFormat?)
        throws
    /// - Parameter duration: how long the picture is seen.
    func append(_ image: RGBAImage, at time: MediaTime, duration: MediaTime) throws
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
    var summary: String { "\(path) (\(codec.rawValue))" }

    func sampleRate(of rate: Int) -> Int { codec.soundRate(nearest: rate) }

    func begin(
        width: Int, height: Int, frameDuration: MediaTime, timescale: Int32, sound: AudioFormat?
    ) throws {
        writer = try MovieWriter(
            path,
            settings: MovieWriter.Settings(
                codec: codec, width: width, height: height, timescale: timescale,
                frameDuration: frameDuration, sound: sound))
    }

    func append(_ image: RGBAImage, at time: MediaTime, duration: MediaTime) throws {
        try writer?.append(image, at: time, duration: duration)
    }

    func append(_ sound: AudioBuffer) throws { try writer?.append(sound) }

    func finish() throws { try writer?.finish() }
}

/// A PNG a frame, numbered from 1.
final class PictureSequence: RenderSink {
    private let before: String
    private let after: String
    private let digits: Int
    private let inputs: [String]
    private var count = 0

    /// - Parameters:
    ///   - pattern: such as `frame-%04d.png`; without the number it stands before the ending.
    ///   - inputs: what is read meanwhile.
    /// - Throws: where there are two places for the number.
    init(_ pattern: String, inputs: [String] = []) throws {
        self.inputs = inputs
        if let number = Self.number(in: pattern) {
            before = String(pattern[..<number.range.lowerBound])
            guard Self.number(in: before) == nil else {
                throw ToolError(
                    .wrongUsage,
                    "\(pattern): it has two places for the number; write one, as in frame-%04d.png")
            }
            after = String(pattern[number.range.upperBound...])
            digits = number.digits
        } else {
            before = pattern.dropLast(4) + "-"
            after = String(pattern.suffix(4))
            digits = 5
        }
    }

    /// Where the number of a picture is to stand in a file's name, and its least number of digits: `%d`,
    /// or as in `%4d` and `%04d`. Whatever else follows a percent sign is a part of the name.
    private static func number(
        in pattern: String
    ) -> (range: Range<String.Index>, digits: Int)? {
        let name = pattern[(pattern.lastIndex(of: "/") ?? pattern.startIndex)...]
        for percent in name.indices.reversed() where name[percent] == "%" {
            var rest = name[percent...].dropFirst()
            if rest.first == "0" { rest.removeFirst() }
            let width = rest.prefix { ("0"..."9").contains($0) }
            rest.removeFirst(width.count)
            let digits = max(1, Int(width) ?? 1)
            if digits < 100, rest.first == "d" {
                return (percent..<rest.index(after: rest.startIndex), digits)
            }
        }
        return nil
    }

    var hasAlpha: Bool { true }
    var takesSound: Bool { false }
    var sizeStep: Int { 1 }
    var summary: String { "pictures, the last \(path(count))" }

    func sampleRate(of rate: Int) -> Int { rate }

    private func path(_ number: Int) -> String {
        let text = String(number)
        return before + String(repeating: "0", count: max(0, digits - text.count)) + text + after
    }

    func begin(
        width: Int, height: Int, frameDuration: MediaTime, timescale: Int32, sound: AudioFormat?
    ) throws {
        try OutputFile.check(path(1), inputs: inputs)
    }

    func append(_ image: RGBAImage, at time: MediaTime, duration: MediaTime) throws {
        count += 1
        try ImageFile.writePNG(image, to: path(count))
    }

    func append(_ sound: AudioBuffer) throws {}
    func finish() throws {}
}
