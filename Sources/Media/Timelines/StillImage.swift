// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// An image that is computed: black, colour bars, or a placeholder with text.
package enum StillImage: Sendable, Hashable {
    /// A black image, shown when nothing plays.
    case black
    /// Seven bars at 75 %, which are the upper part of SMPTE's test signal.
    case bars
    /// An image with text, shown in place of missing media.
    case placeholder(text: String)

    /// Creates the image of a generator from OpenTimelineIO's name for it.
    init(generator kind: String) {
        switch kind.lowercased() {
        case "black": self = .black
        case "smptebars": self = .bars
        default: self = .placeholder(text: kind.isEmpty ? "generator" : kind)
        }
    }

    static func isKnown(generator kind: String) -> Bool {
        if case .placeholder = StillImage(generator: kind) { false } else { true }
    }

    /// The text on the image; nil if there is no text.
    package var text: String? {
        if case .placeholder(let text) = self { text } else { nil }
    }

    /// Draws the image, without its text.
    ///
    /// - Returns: A buffer in the format `.rgba`.
    package func picture(width: Int, height: Int) -> PixelBuffer {
        let attachments = PixelBufferAttachments(
            color: ColorAttachments(
                matrix: .rgb, range: .full, primaries: .bt709, transfer: .bt709))
        return PixelBuffer(
            format: .rgba, width: width, height: height, attachments: attachments
        ) { _, bytes, bytesPerRow in
            for row in 0..<height {
                for column in 0..<width {
                    let color = color(x: column, y: row, width: width, height: height)
                    bytes.storeBytes(
                        of: color, toByteOffset: row * bytesPerRow + column * 4,
                        as: SIMD4<UInt8>.self)
                }
            }
        }
    }

    /// The bars from left to right: white, yellow, cyan, green, magenta, red, blue.
    private static let barColors: [SIMD3<UInt8>] = [
        [1, 1, 1], [1, 1, 0], [0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 1],
    ]

    private func color(x: Int, y: Int, width: Int, height: Int) -> SIMD4<UInt8> {
        switch self {
        case .black: return SIMD4(0, 0, 0, 255)
        case .bars: return SIMD4(Self.barColors[x * Self.barColors.count / width] &* 191, 255)
        case .placeholder:
            // The diagonal stripes make the image look different from a dark scene.
            let step = max(height / 12, 4)
            let value: UInt8 = (x + y) / step % 2 == 0 ? 48 : 64
            return SIMD4(value, value, value, 255)
        }
    }
}
