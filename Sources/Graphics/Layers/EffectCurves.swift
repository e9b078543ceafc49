// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
package import PlayheadEffects
package import PlayheadGL
import PlayheadTime

/// Effects in the form of one curve for each channel. The CPU applies the curves to opaque pixels
/// of 8 bits.
///
/// Many effects of colour, such as contrast or exposure, compute each channel of a pixel from that
/// channel alone. On software OpenGL, a table of 256 values costs a fraction of a shaded pixel, and
/// the copies to OpenGL and back are saved. The renderer itself draws the values of the tables, so
/// the result is the same, bit for bit.
///
/// - Concurrency: any thread.
package struct EffectCurves: Sendable {
    private let curves: ChannelCurves

    /// The side of the image of colours that the effects are drawn on.
    private static let side = 512

    /// Creates the curves by drawing the effects on an image. The image contains each value of each
    /// channel about a thousand times, with different values of the other channels.
    ///
    /// - Parameters:
    ///   - renderer: The renderer that draws the effects on the image.
    ///   - problems: The problems that drawing reports. They are not reported again when the same
    ///     renderer draws a frame.
    /// - Returns: nil if a channel of the result depends on the other channels, if a GPU draws, if
    ///   there are no effects, or if they cannot be drawn.
    package init?(
        of effects: [EffectInstance], drawnBy renderer: VideoRenderer,
        problems: inout [RenderReport.Problem]
    ) throws(GLError) {
        guard renderer.conversion == .cpu, !effects.isEmpty,
            effects.allSatisfy({ !$0.isEnabled || $0.mapsColors })
        else { return nil }
        let colors = Self.colors
        let target = try GLFramebuffer(
            width: Self.side, height: Self.side, context: renderer.context)
        // Without effects, the colours must come back as they are.
        guard Self.draw(colors, [], renderer, target, &problems) == colors,
            let drawn = Self.draw(colors, effects, renderer, target, &problems)
        else { return nil }
        var values = [UInt8?](repeating: nil, count: 3 * 256)
        for (color, result) in zip(colors, drawn) {
            guard result >> 24 == 255 else { return nil }
            for channel in 0..<3 {
                let shift = UInt32(8 * channel)
                let place = channel << 8 | Int(color >> shift & 0xff)
                let value = UInt8(truncatingIfNeeded: result >> shift)
                guard values[place] == nil || values[place] == value else { return nil }
                values[place] = value
            }
        }
        curves = ChannelCurves(values.map { $0 ?? 0 })
    }

    /// Applies the curves to pixels of RGBA.
    package func apply(to bytes: UnsafeMutableRawBufferPointer) { curves.apply(to: bytes) }

    /// The colours of the image. Each channel in turn takes all of its values, while the others
    /// have random values, which are the same in each run.
    private static let colors: [UInt32] = {
        // The generator of Numerical Recipes; the seed has no meaning.
        var state: UInt32 = 1
        return (0..<UInt32(side * side)).map { index in
            state = state &* 1_664_525 &+ 1_013_904_223
            let value = index & 0xff
            let channel = (index >> 8) % 3
            let (first, second) = (state >> 24, state >> 16 & 0xff)
            let color =
                switch channel {
                case 0: value | first << 8 | second << 16
                case 1: first | value << 8 | second << 16
                default: first | second << 8 | value << 16
                }
            return color | 0xff00_0000
        }
    }()

    /// Draws effects on an image of colours. Returns the pixels in the same order, or nil if
    /// anything could not be drawn.
    private static func draw(
        _ colors: [UInt32], _ effects: [EffectInstance], _ renderer: VideoRenderer,
        _ target: GLFramebuffer, _ problems: inout [RenderReport.Problem]
    ) -> [UInt32]? {
        let image = PixelBuffer(
            format: .rgba, width: side, height: side,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: .rgb, range: .full, primaries: .bt709, transfer: .bt709))
        ) { _, bytes, bytesPerRow in
            for (index, color) in colors.enumerated() {
                let (row, column) = index.quotientAndRemainder(dividingBy: side)
                bytes.storeBytes(
                    of: color.littleEndian, toByteOffset: row * bytesPerRow + column * 4,
                    as: UInt32.self)
            }
        }
        let scene = Scene(layers: [Layer(.image(image), effects: effects)])
        let report = renderer.render(scene, hostTime: .zero, into: RenderTarget(target))
        problems += report.problems
        guard report.problems.isEmpty, !report.isContextLost, !report.isMoving else { return nil }
        let bytes = target.image().bytes
        return (0..<colors.count).map { index in
            (0..<4).reduce(0) { $0 | UInt32(bytes[index * 4 + $1]) << UInt32(8 * $1) }
        }
    }
}
