// SPDX-License-Identifier: Apache-2.0

import PlayheadEditing
import PlayheadUI

/// Draws frames off screen into memory, with the same renderer as playback.
///
/// - Concurrency: the thread that created it.
final class FramePainter {
    private let context: HeadlessContext
    private let renderer: VideoRenderer
    private let size: (width: Int, height: Int)
    /// The target of frames; nil before the first one.
    private var framebuffer: GLFramebuffer?
    private let pool = PlainPixelBufferPool(byteLimit: .max)

    init(width: Int, height: Int) throws {
        size = (width, height)
        context = try HeadlessContext()
        renderer = VideoRenderer(context: context)
        renderer.stopsSlowEffects = false
    }

    deinit { context.clearCurrent() }

    /// Returns the effects as curves; nil if curves cannot replace them, or if a GPU draws, which
    /// needs no curves.
    func curves(of effects: [EffectInstance]) throws -> EffectCurves? {
        var problems: [RenderReport.Problem] = []
        let curves = try EffectCurves(of: effects, drawnBy: renderer, problems: &problems)
        if let problem = problems.first { throw ToolError(problem) }
        return curves
    }

    /// Draws layers, and returns the frame in R'G'B' with alpha, or in the format of a converter.
    ///
    /// - Parameters:
    ///   - isStraight: true for straight alpha; otherwise colours are multiplied by alpha.
    ///   - converter: the converter to the pixel format of the encoder; nil for R'G'B'.
    func frame(
        of layers: [Layer], over background: Scene.Background, at time: MediaTime,
        isStraight: Bool, by converter: DrawnFrameConverter? = nil
    ) throws -> PixelBuffer {
        let (width, height) = size
        let framebuffer =
            try self.framebuffer ?? GLFramebuffer(width: width, height: height, context: context)
        self.framebuffer = framebuffer
        let scene = Scene(background: background, layers: layers)
        // Effects receive the media time, as during playback.
        let report = renderer.render(scene, hostTime: time, into: RenderTarget(framebuffer))
        try report.requireWhole()
        if let converter {
            return converter.frame { rows, bytes in
                framebuffer.read(
                    rows: (height - rows.upperBound)..<(height - rows.lowerBound), into: bytes)
                if isStraight { Self.unpremultiply(bytes) }
            }
        }
        guard let memory = pool.makeMemory(byteCount: width * height * 4),
            let base = memory.bytes.baseAddress
        else {
            throw ToolError(
                .mediaFailure, "there is not enough memory for a frame; free some memory")
        }
        framebuffer.read(into: memory.bytes)
        if isStraight { Self.unpremultiply(memory.bytes) }
        // OpenGL's first row is the bottom row.
        let plane = PixelBuffer.Plane(
            baseAddress: UnsafeRawPointer(base) + (height - 1) * width * 4,
            bytesPerRow: -width * 4, width: width, height: height)
        return PixelBuffer(
            format: .rgba, width: width, height: height, planes: [plane],
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: .rgb, range: .full, primaries: .bt709, transfer: .bt709)),
            memory: memory, owner: nil)
    }

    /// Divides colours by their alpha, because files store straight alpha.
    private static func unpremultiply(_ bytes: UnsafeMutableRawBufferPointer) {
        let pixels = bytes.bindMemory(to: UInt32.self)
        guard !pixels.allSatisfy({ UInt32(littleEndian: $0) >> 24 == 255 }) else { return }
        for index in pixels.indices {
            let pixel = UInt32(littleEndian: pixels[index])
            let alpha = pixel >> 24
            guard alpha > 0, alpha < 255 else { continue }
            func straight(_ shift: UInt32) -> UInt32 {
                min(255, ((pixel >> shift & 0xff) * 255 + alpha / 2) / alpha) << shift
            }
            pixels[index] =
                (alpha << 24 | straight(16) | straight(8) | straight(0)).littleEndian
        }
    }
}
