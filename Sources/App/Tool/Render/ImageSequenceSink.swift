// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadEditing
import PlayheadUI

/// Writes a PNG file for each frame. The files are numbered from 1.
final class ImageSequenceSink: RenderSink {
    private let before: String
    private let after: String
    private let digits: Int
    private let inputs: [String]
    private var count = 0

    let fileType: MediaFileType? = nil
    let ticksPerSecond: Int32? = nil
    let drawnConverter: DrawnFrameConverter? = nil

    /// Creates a sink that writes an image file for each frame.
    ///
    /// - Parameters:
    ///   - pattern: a pattern such as `frame-%04d.png`. If it contains no number, one is inserted
    ///     before the extension.
    ///   - inputs: the paths of the inputs.
    /// - Throws: if the pattern contains two numbers.
    init(_ pattern: String, inputs: [String] = []) throws {
        self.inputs = inputs
        if let number = Self.number(in: pattern) {
            before = String(pattern[..<number.range.lowerBound])
            guard Self.number(in: before) == nil else {
                throw ToolError(
                    .wrongUsage,
                    "\(pattern): the pattern has two numbers; use one, as in frame-%04d.png")
            }
            after = String(pattern[number.range.upperBound...])
            digits = number.digits
        } else {
            before = pattern.dropLast(4) + "-"
            after = String(pattern.suffix(4))
            digits = 5
        }
    }

    /// Returns the range of the number in a file name, and the minimum number of digits: `%d`,
    /// `%4d` or `%04d`. Other percent signs are part of the name.
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
    var sizeStep: (x: Int, y: Int) { (1, 1) }
    var summary: String { "images, the last \(path(count))" }

    func sampleRate(of rate: Int) -> Int { rate }

    private func path(_ number: Int) -> String {
        let text = String(number)
        return before + String(repeating: "0", count: max(0, digits - text.count)) + text + after
    }

    func plainFormat(of frame: PixelBuffer) -> VideoSampleFormat? { nil }

    func begin(_ format: RenderFormat) throws {
        try OutputFile.check(path(1), inputs: inputs)
    }

    func append(_ frame: PixelBuffer, at time: MediaTime, duration: MediaTime) throws {
        count += 1
        try ImageFile.writePNG(RGBAImage(drawn: frame), to: path(count))
    }

    func append(_ sound: AudioBuffer) throws {}
    func endFrames() throws {}
    func endAudio() throws {}
    func finish() throws {}

    /// Removes the images.
    func cancel() {
        for number in 1...max(count, 1) where count > 0 {
            try? FileManager.default.removeItem(atPath: path(number))
        }
        count = 0
    }
}

extension RGBAImage {
    /// Creates an image from a drawn frame. The rows of the frame may be ordered from bottom to
    /// top.
    fileprivate init(drawn frame: PixelBuffer) {
        let bytesPerRow = frame.width * 4
        var bytes = [UInt8](repeating: 0, count: bytesPerRow * frame.height)
        bytes.withUnsafeMutableBytes { target in
            guard let base = target.baseAddress, let plane = frame.planes.first else { return }
            for row in 0..<frame.height {
                (base + row * bytesPerRow).copyMemory(
                    from: plane.baseAddress + row * plane.bytesPerRow, byteCount: bytesPerRow)
            }
        }
        self.init(width: frame.width, height: frame.height, bytes: bytes)
    }
}
