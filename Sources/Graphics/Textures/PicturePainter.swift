// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
public import PlayheadGL
import PlayheadShaders

/// Draws pictures: samples their planes, converts, scales and composites, all in one draw.
///
/// A program is made for each combination of planes and alpha that turns up, and kept.
///
/// - Concurrency: render thread.
public final class PicturePainter {
    /// What a picture's alpha means.
    public enum Alpha: Int, Sendable, Hashable {
        case opaque, straight, premultiplied
    }

    /// How the picture's samples meet the target's pixels.
    public struct Sampling: Sendable, Hashable {
        public var luma: GLSampler.Filter
        public var chroma: GLSampler.Filter

        public init(luma: GLSampler.Filter, chroma: GLSampler.Filter) {
            self.luma = luma
            self.chroma = chroma
        }

        /// For drawing at another size.
        public static let scaled = Sampling(luma: .linear, chroma: .linear)
        /// For drawing sample for pixel a picture whose chroma is subsampled.
        public static let exact = Sampling(luma: .nearest, chroma: .linear)
        /// For drawing sample for pixel a picture without subsampling.
        public static let exactAll = Sampling(luma: .nearest, chroma: .nearest)
    }

    /// Texture units that drawing uses, from 0 on.
    public static let unitCount = 5
    private static let backdropUnit = 4

    private struct Variant: Hashable {
        var colorViewCount: Int
        var hasAlphaView: Bool
        var converts: Bool
        var alphaIn: Alpha
        var alphaOut: Alpha
        /// How instances are drawn; nil for a single quad.
        var instances: InstanceStyle?
    }

    private struct Program {
        let program: GLProgram
        let position: GLUniform
        let texture: GLUniform
        let chromaTransform: GLUniform
        let matrix: GLUniform
        let offset: GLUniform
        let opacity: GLUniform
        let backdropOrigin: GLUniform
    }

    private let context: any GLContext
    private let quad: GLQuad
    private let nearest: GLSampler
    private let linear: GLSampler
    private var programs: [Variant: Program] = [:]

    public init(context: any GLContext) {
        self.context = context
        quad = GLQuad(context: context)
        nearest = GLSampler(.nearest, context: context)
        linear = GLSampler(.linear, context: context)
    }

    public func sampler(_ filter: GLSampler.Filter) -> GLSampler {
        filter == .nearest ? nearest : linear
    }

    /// Draws an uploaded picture onto the current target.
    ///
    /// - Parameter alphaOut: `premultiplied` for blending, `straight` for what effects read.
    public func draw(
        _ picture: PictureTextures, geometry: QuadGeometry, sampling: Sampling,
        opacity: Float = 1, alphaOut: Alpha = .premultiplied
    ) throws(GLError) {
        let program = try use(picture, sampling: sampling, alphaOut: alphaOut, instances: nil)
        finish(program, geometry: geometry, opacity: opacity)
    }

    /// Makes ready to draw instances that show an uploaded picture.
    public func useForInstances(
        of picture: PictureTextures, sampling: Sampling, style: InstanceStyle,
        backdrop: InstanceStyle.Backdrop? = nil
    ) throws(GLError) {
        let program = try use(
            picture, sampling: sampling, alphaOut: .premultiplied, instances: style)
        use(backdrop, program)
    }

    /// Makes ready to draw instances that show a texture of R'G'B', or, where that is nil, that are
    /// of one colour each.
    public func useForInstances(
        of texture: GLTexture?, alpha: Alpha, filter: GLSampler.Filter, style: InstanceStyle,
        backdrop: InstanceStyle.Backdrop? = nil
    ) throws(GLError) {
        let program = try program(
            Variant(
                colorViewCount: texture == nil ? 0 : 1, hasAlphaView: false, converts: false,
                alphaIn: alpha, alphaOut: .premultiplied, instances: style))
        program.program.use()
        texture?.bind(unit: 0, sampler: sampler(filter))
        use(backdrop, program)
    }

    private func use(_ backdrop: InstanceStyle.Backdrop?, _ program: Program) {
        guard let backdrop else { return }
        program.backdropOrigin.set(SIMD2(Float(backdrop.x), Float(backdrop.y)))
        backdrop.texture.bind(unit: Self.backdropUnit, sampler: nearest)
    }

    /// Puts the program for a picture to use, and binds its textures.
    private func use(
        _ picture: PictureTextures, sampling: Sampling, alphaOut: Alpha, instances: InstanceStyle?
    ) throws(GLError) -> Program {
        let alphaIn: Alpha =
            !picture.hasAlpha
            ? .opaque
            : picture.attachments.color.alpha == .premultiplied ? .premultiplied : .straight
        let program = try program(
            Variant(
                colorViewCount: picture.layout.colorViewCount,
                hasAlphaView: picture.layout.hasAlphaView,
                converts: !picture.conversion.isIdentity, alphaIn: alphaIn, alphaOut: alphaOut,
                instances: instances))
        program.program.use()
        program.chromaTransform.set(picture.siting.transform)
        program.matrix.set(picture.conversion.matrix)
        program.offset.set(SIMD3<Float>(picture.conversion.offset))
        for (index, texture) in picture.textures.enumerated() {
            let isColor = index < picture.layout.colorViewCount
            let isChroma = isColor && index > 0
            texture.bind(
                unit: isColor ? index : 3,
                sampler: sampler(isChroma ? sampling.chroma : sampling.luma))
        }
        return program
    }

    /// Draws a texture of R'G'B' onto the current target.
    public func draw(
        _ texture: GLTexture, alpha: Alpha, geometry: QuadGeometry, filter: GLSampler.Filter,
        opacity: Float = 1, alphaOut: Alpha = .premultiplied
    ) throws(GLError) {
        let program = try program(
            Variant(
                colorViewCount: 1, hasAlphaView: false, converts: false, alphaIn: alpha,
                alphaOut: alphaOut))
        program.program.use()
        texture.bind(unit: 0, sampler: sampler(filter))
        finish(program, geometry: geometry, opacity: opacity)
    }

    /// Draws the unit square with a program of someone else's, already in use.
    public func drawQuad() {
        quad.bind()
        quad.draw()
    }

    private func finish(_ program: Program, geometry: QuadGeometry, opacity: Float) {
        program.position.set(geometry.position)
        program.texture.set(geometry.texture)
        program.opacity.set(opacity)
        drawQuad()
    }

    private func program(_ variant: Variant) throws(GLError) -> Program {
        if let program = programs[variant] { return program }
        var defines = [
            ("ALPHA_OPAQUE", "\(Alpha.opaque.rawValue)"),
            ("ALPHA_STRAIGHT", "\(Alpha.straight.rawValue)"),
            ("ALPHA_PREMULTIPLIED", "\(Alpha.premultiplied.rawValue)"),
            ("ALPHA_IN", "\(variant.alphaIn.rawValue)"),
            ("ALPHA_OUT", "\(variant.alphaOut.rawValue)"),
            ("PICTURE_VIEWS", "\(variant.colorViewCount)"),
        ]
        if variant.hasAlphaView { defines.append(("PICTURE_ALPHA_VIEW", "1")) }
        if variant.converts { defines.append(("PICTURE_CONVERTS", "1")) }
        let program = try GLProgram(
            vertex: ShaderLibrary.source([variant.instances == nil ? "quad.vert" : "instance.vert"]
            ),
            fragment: fragment(variant, defines), fragmentOutput: "fragmentColor",
            label: variant.instances == nil ? "layer.frag" : "instance.frag", context: context)
        program.use()
        program.uniform("backdrop").setUnit(Self.backdropUnit)
        for unit in 0..<3 { program.uniform("view\(unit)").setUnit(unit) }
        program.uniform("alphaView").setUnit(3)
        let made = Program(
            program: program, position: program.uniform("positionMatrix"),
            texture: program.uniform("textureMatrix"),
            chromaTransform: program.uniform("chromaTransform"),
            matrix: program.uniform("conversionMatrix"),
            offset: program.uniform("conversionOffset"), opacity: program.uniform("opacity"),
            backdropOrigin: program.uniform("backdropOrigin"))
        programs[variant] = made
        return made
    }

    private func fragment(
        _ variant: Variant, _ defines: [(name: String, value: String)]
    ) -> String {
        let picture = variant.colorViewCount > 0 ? ["picture.glsl"] : []
        guard let style = variant.instances else {
            return ShaderLibrary.source(picture + ["layer.frag"], defines: defines)
        }
        return ShaderLibrary.source(
            picture + (style.mode == nil ? [] : ["blend.glsl"]) + ["instance.frag"],
            defines: defines + style.defines)
    }
}
