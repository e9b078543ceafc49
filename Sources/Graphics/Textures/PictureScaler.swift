// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
package import PlayheadGL

/// A scaler that draws frames at other sizes, with filters that weight all samples. It first draws
/// the frame upright at its own size, then filters it along rows, and then along columns to the
/// target.
///
/// The intermediate results are 16-bit floats, in the target's values or in linear light.
///
/// - Concurrency: render thread.
package final class PictureScaler {
    /// A frame to draw, with its geometry and filter.
    package struct Request {
        /// The frame to scale.
        package var picture: PictureTextures
        /// The map from the unit square, with (0, 0) at the top left, to the whole stored frame.
        package var orientation: GLMatrix3
        /// The width of the upright frame, in samples.
        package var width: Int
        /// The height of the upright frame, in samples.
        package var height: Int
        /// The part that is shown: the position of its top left corner and its size, in fractions
        /// of the upright frame.
        package var contents: (x: Double, y: Double, width: Double, height: Double)
        /// The map from the unit square, with (0, 0) at the top left, to clip space.
        package var position: GLMatrix3
        /// The width on the target, in pixels.
        package var outputWidth: Int
        /// The height on the target, in pixels.
        package var outputHeight: Int
        /// The scaling filter.
        package var filter: ScalingFilter
        /// A Boolean value that indicates whether linear light is averaged instead of the target's
        /// values. If so, the mean of black and white is as bright as a fine pattern of black and
        /// white.
        package var usesLinearLight: Bool
        /// The opacity, from 0 to 1.
        package var opacity: Float

        package init(
            picture: PictureTextures, orientation: GLMatrix3, width: Int, height: Int,
            contents: (x: Double, y: Double, width: Double, height: Double),
            position: GLMatrix3, outputWidth: Int, outputHeight: Int, filter: ScalingFilter,
            usesLinearLight: Bool = false, opacity: Float = 1
        ) {
            self.picture = picture
            self.orientation = orientation
            self.width = width
            self.height = height
            self.contents = contents
            self.position = position
            self.outputWidth = outputWidth
            self.outputHeight = outputHeight
            self.filter = filter
            self.usesLinearLight = usesLinearLight
            self.opacity = opacity
        }
    }

    private let painter: PicturePainter
    private let pool: FramebufferPool

    package init(painter: PicturePainter, pool: FramebufferPool) {
        self.painter = painter
        self.pool = pool
    }

    /// Draws a frame.
    ///
    /// - Parameter setTarget: called before the last pass. It must make the target the draw target,
    ///   and set its blending.
    package func draw(
        _ request: Request, output: PictureOutput, setTarget: () -> Void
    ) throws(GLError) {
        var working = PictureOutput(colorSpace: output.colorSpace)
        working.isLight = request.usesLinearLight
        let alpha: PictureAlpha = request.picture.hasAlpha ? .premultiplied : .opaque
        let (width, height) = (request.width, request.height)
        let contents = request.contents

        let whole = try pool.acquire(format: .rgba16Float, width: width, height: height)
        defer { pool.release(whole) }
        GLState.setTarget(framebuffer: whole.name, width: width, height: height)
        GLState.setBlending(.replace)
        try painter.draw(
            request.picture,
            geometry: QuadGeometry(
                position: QuadGeometry.storedWhole.position, texture: request.orientation),
            sampling: request.picture.isSubsampled ? .exact : .exactAll, output: working)

        let narrow = try pool.acquire(
            format: .rgba16Float, width: request.outputWidth, height: height)
        defer { pool.release(narrow) }
        GLState.setTarget(framebuffer: narrow.name, width: narrow.width, height: height)
        let (left, right) = (
            contents.x * Double(width), (contents.x + contents.width) * Double(width)
        )
        try painter.draw(
            whole.texture, alpha: alpha,
            geometry: QuadGeometry(
                position: QuadGeometry.storedWhole.position,
                texture: GLMatrix3(
                    origin: [left, 0], right: [right, 0], down: [left, Double(height)])),
            scaling: AxisScaling(
                axis: .horizontal, filter: request.filter, texels: right - left,
                pixels: Double(request.outputWidth)),
            output: PictureOutput(colorSpace: .linear))

        let (top, bottom) = (
            contents.y * Double(height), (contents.y + contents.height) * Double(height)
        )
        setTarget()
        try painter.draw(
            narrow.texture, alpha: alpha,
            geometry: QuadGeometry(
                position: request.position,
                texture: GLMatrix3(
                    origin: [0, top], right: [Double(request.outputWidth), top],
                    down: [0, bottom])),
            scaling: AxisScaling(
                axis: .vertical, filter: request.filter, texels: bottom - top,
                pixels: Double(request.outputHeight)),
            opacity: request.opacity,
            transform: request.usesLinearLight
                ? ColorTransform(from: output.colorSpace, to: output.colorSpace).fromLight : nil,
            output: output)
    }
}
