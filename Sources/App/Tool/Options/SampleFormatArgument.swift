// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadEditing

/// A format of encoded samples on the command line, by FFmpeg's name: `yuv420p`, `yuv422p10`,
/// `yuva444p12le`, or `rgb` for 8-bit R'G'B' with alpha.
struct SampleFormatArgument {
    let format: VideoSampleFormat

    /// The formats that the help lists.
    static let names = ["yuv420p", "yuv422p", "yuv444p", "yuv420p10", "yuv422p10", "yuv444p10"]

    /// Parses an argument.
    init(argument: String) throws {
        guard let format = Self.parse(argument.lowercased()) else {
            throw ValidationError(
                "expected a format such as \(Self.names.joined(separator: ", ")) or rgb, found "
                    + "'\(argument)'")
        }
        self.format = format
    }

    private static func parse(_ name: String) -> VideoSampleFormat? {
        if ["rgb", "rgba", "bgra"].contains(name) {
            return VideoSampleFormat(.rgb, hasAlpha: true)
        }
        var rest = Substring(name)
        guard rest.hasPrefix("yuv") else { return nil }
        rest.removeFirst(3)
        let hasAlpha = rest.hasPrefix("a")
        if hasAlpha { rest.removeFirst() }
        guard let model = VideoSampleFormat.Model(rawValue: "yuv\(rest.prefix(3))"),
            rest.dropFirst(3).first == "p"
        else { return nil }
        let depths = ["": 8, "10": 10, "12": 12, "10le": 10, "12le": 12]
        return depths[String(rest.dropFirst(4))].map {
            VideoSampleFormat(model, bitDepth: $0, hasAlpha: hasAlpha)
        }
    }
}
