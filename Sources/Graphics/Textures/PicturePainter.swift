// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
package import PlayheadConversion
package import PlayheadGL

/// A painter that samples the planes of a frame, converts, scales and composites them, all in one
/// draw.
///
/// It creates a program for each combination of planes and alpha that occurs, and keeps the
/// program.
///
/// - Concurrency: render thread.
package final class PicturePainter {
    /// The filters with which the samples of a frame are read for the target's pixels.
    package struct Sampling: Sendable, Hashable {
        /// The filter for luma, and for frames without chroma.
        package var luma: GLSampler.Filter
        /// The filter for chroma.
        package var chroma: GLSampler.Filter

        package init(luma: GLSampler.Filter, chroma: GLSampler.Filter) {
            self.luma = luma
            self.chroma = chroma
        }

        /// The sampling for drawing a frame at a different size.
        package static let scaled = Sampling(luma: .linear, chroma: .linear)
        /// The sampling for drawing a subsampled frame with exactly one luma sample for each pixel.
        package static let exact = Sampling(luma: .nearest, chroma: .linear)
        /// The sampling for drawing a frame without subsampling, with exactly one sample for each
        /// pixel.
        package static let exactAll = Sampling(luma: .nearest, chroma: .nearest)
    }

    /// The number of texture units that `draw` uses, from 0 on.
    package static let unitCount = 5

    private let context: any GLContext
    private let quad: GLQuad
    private let nearest: GLSampler
    private let linear: GLSampler
    private var programs: [PictureProgram.Variant: PictureProgram] = [:]
    private var kernels: [ScalingFilter: GLTexture] = [:]
    private let fixesConversions: Bool

    /// Creates a painter.
    ///
    /// - Parameter fixesConversions: true to compile the constants of the conversion into the
    ///   program, with one program for each matrix, range and depth; false to set them as uniforms.
    ///   Nil, the default, means true on software OpenGL, which reads a uniform again for every few
    ///   pixels. All these uniforms together would take a fifth of its time.
    package init(context: any GLContext, fixesConversions: Bool? = nil) {
        self.context = context
        self.fixesConversions = fixesConversions ?? context.capabilities.isSoftware
        quad = GLQuad(context: context)
        nearest = GLSampler(.nearest, context: context)
        linear = GLSampler(.linear, context: context)
    }

    /// Returns the sampler for a filter.
    package func sampler(_ filter: GLSampler.Filter) -> GLSampler {
        filter == .nearest ? nearest : linear
    }

    /// Draws an uploaded frame to the current target.
    ///
    /// - Parameter alphaOut: the form of the output: `premultiplied` for blending, `straight` for
    ///   the input of effects.
    package func draw(
        _ picture: PictureTextures, geometry: QuadGeometry, sampling: Sampling,
        opacity: Float = 1, alphaOut: PictureAlpha = .premultiplied,
        output: PictureOutput = PictureOutput()
    ) throws(GLError) {
        let program = try use(
            picture, sampling: sampling, alphaOut: alphaOut, output: output, instances: nil)
        finish(program, geometry: geometry, opacity: opacity)
    }

    /// Draws a texture of R'G'B' to the current target.
    ///
    /// - Parameter transform: the transform from the texture's values to the target's; nil for
    ///   no transform.
    package func draw(
        _ texture: GLTexture, alpha: PictureAlpha, geometry: QuadGeometry, filter: GLSampler.Filter,
        opacity: Float = 1, alphaOut: PictureAlpha = .premultiplied,
        transform: ColorTransform? = nil, output: PictureOutput = PictureOutput()
    ) throws(GLError) {
        let transform = transform.flatMap { $0.isIdentity ? nil : $0 }
        let program = try program(
            PictureProgram.Variant(
                alphaIn: alpha, alphaOut: alphaOut, color: transform?.variant,
                isUnbounded: output.isUnbounded,
                ditherDepth: output.bitDepth.flatMap {
                    texture.format.bytesPerChannel * 8 > $0 ? $0 : nil
                }))
        program.program.use()
        program.set(transform)
        texture.bind(unit: 0, sampler: sampler(filter))
        finish(program, geometry: geometry, opacity: opacity)
    }

    /// Draws a texture of R'G'B' to the current target, filtered along one of its axes.
    ///
    /// - Parameters:
    ///   - alpha: `opaque` or `premultiplied`; the output is premultiplied.
    ///   - geometry: the geometry, whose texture coordinates are in texels.
    ///   - transform: the transform from the texture's values to the target's; nil for no
    ///     transform.
    package func draw(
        _ texture: GLTexture, alpha: PictureAlpha, geometry: QuadGeometry, scaling: AxisScaling,
        opacity: Float = 1, transform: ColorTransform? = nil, output: PictureOutput
    ) throws(GLError) {
        // The kernel is created before the binding of other textures, because creating a texture
        // binds it.
        let kernel = try kernel(scaling.filter)
        let transform = transform.flatMap { $0.isIdentity ? nil : $0 }
        let program = try program(
            PictureProgram.Variant(
                alphaIn: alpha, alphaOut: .premultiplied, color: transform?.variant,
                isUnbounded: output.isUnbounded, ditherDepth: output.bitDepth,
                scalingAxis: scaling.axis))
        program.program.use()
        program.set(transform)
        program.scaling.set(
            SIMD3<Float>(
                Float(scaling.radius), Float(1 / scaling.radius), Float(scaling.tapCount)))
        texture.bind(unit: 0, sampler: nearest)
        kernel.bind(unit: 1, sampler: linear)
        finish(program, geometry: geometry, opacity: opacity)
    }

    /// Returns a filter's kernel from its centre to its edge, as a texture with one row.
    private func kernel(_ filter: ScalingFilter) throws(GLError) -> GLTexture {
        if let kernel = kernels[filter] { return kernel }
        let values = filter.kernel(count: PictureProgram.kernelSize)
        let kernel = try GLTexture(
            format: context.capabilities.filterable(.r32Float), width: values.count, height: 1,
            label: "\(filter) kernel",
            context: context)
        values.withUnsafeBytes { bytes in
            guard let address = bytes.baseAddress else { return }
            kernel.upload(address, bytesPerRow: bytes.count)
        }
        kernels[filter] = kernel
        return kernel
    }

    // MARK: Instances

    /// Prepares for drawing instances that show an uploaded frame.
    package func useForInstances(
        of picture: PictureTextures, sampling: Sampling, style: InstanceStyle,
        backdrop: InstanceStyle.Backdrop? = nil, output: PictureOutput = PictureOutput()
    ) throws(GLError) {
        let program = try use(
            picture, sampling: sampling, alphaOut: .premultiplied, output: output,
            instances: style)
        use(backdrop, program)
    }

    /// Prepares for drawing instances that show a texture of R'G'B' or, if the texture is nil, one
    /// colour each.
    ///
    /// - Parameter transform: the transform from the texture's values to the target's; nil for
    ///   no transform.
    package func useForInstances(
        of texture: GLTexture?, alpha: PictureAlpha, filter: GLSampler.Filter, style: InstanceStyle,
        backdrop: InstanceStyle.Backdrop? = nil, transform: ColorTransform? = nil,
        output: PictureOutput = PictureOutput()
    ) throws(GLError) {
        let transform = transform.flatMap { $0.isIdentity ? nil : $0 }
        let program = try program(
            PictureProgram.Variant(
                colorViewCount: texture == nil ? 0 : 1, alphaIn: alpha, alphaOut: .premultiplied,
                color: transform?.variant, isUnbounded: output.isUnbounded,
                ditherDepth: output.bitDepth.flatMap { depth in
                    let levels = (texture?.format.bytesPerChannel ?? 1) * 8
                    return style.transfer != .toLight && levels > depth ? depth : nil
                }, instances: style))
        program.program.use()
        program.set(transform)
        texture?.bind(unit: 0, sampler: sampler(filter))
        use(backdrop, program)
    }

    private func use(_ backdrop: InstanceStyle.Backdrop?, _ program: PictureProgram) {
        guard let backdrop else { return }
        program.backdropOrigin.set(SIMD2(Float(backdrop.x), Float(backdrop.y)))
        backdrop.texture.bind(unit: PictureProgram.backdropUnit, sampler: nearest)
    }

    /// Makes the program for a frame current, and binds the frame's textures.
    private func use(
        _ picture: PictureTextures, sampling: Sampling, alphaOut: PictureAlpha,
        output: PictureOutput,
        instances: InstanceStyle?
    ) throws(GLError) -> PictureProgram {
        let alphaIn: PictureAlpha =
            !picture.hasAlpha
            ? .opaque
            : picture.attachments.color.alpha == .premultiplied ? .premultiplied : .straight
        let transform = picture.transform(to: output)
        // Output of linear light needs no dither.
        let ditherDepth = output.bitDepth.flatMap {
            instances?.transfer != .toLight
                && (picture.bitDepth > $0 || (!transform.isIdentity && $0 < 16)) ? $0 : nil
        }
        let converts = !picture.conversion.isIdentity
        let program = try program(
            PictureProgram.Variant(
                colorViewCount: picture.layout.colorViewCount,
                hasAlphaView: picture.layout.hasAlphaView,
                alphaScale: picture.conversion.alphaScale,
                converts: converts,
                isColorDifference: picture.conversion.isColorDifference,
                fixedConversion: converts && fixesConversions ? picture.conversion : nil,
                stage: picture.conversion.stage,
                alphaIn: alphaIn, alphaOut: alphaOut,
                color: transform.isIdentity && picture.conversion.stage == .none
                    ? nil : transform.variant,
                isUnbounded: output.isUnbounded,
                ditherDepth: ditherDepth, instances: instances))
        program.program.use()
        program.set(transform)
        program.chromaTransform.set(picture.siting.transform)
        program.set(picture.conversion)
        for (index, texture) in picture.textures.enumerated() {
            let isColor = index < picture.layout.colorViewCount
            let isChroma = isColor && index > 0
            texture.bind(
                unit: isColor ? index : 3,
                sampler: sampler(isChroma ? sampling.chroma : sampling.luma))
        }
        return program
    }

    /// Draws the unit square with a program of the caller, which must already be in use.
    ///
    /// - Parameter asTriangles: true to draw it as `GLQuad.drawTriangles` does.
    package func drawQuad(asTriangles: Bool = false) {
        quad.bind()
        if asTriangles { quad.drawTriangles() } else { quad.draw() }
    }

    private func finish(_ program: PictureProgram, geometry: QuadGeometry, opacity: Float) {
        program.position.set(geometry.position)
        program.texture.set(geometry.texture)
        program.opacity.set(opacity)
        drawQuad()
    }

    private func program(_ variant: PictureProgram.Variant) throws(GLError) -> PictureProgram {
        if let program = programs[variant] { return program }
        let program = try PictureProgram(variant, context: context)
        programs[variant] = program
        return program
    }
}
