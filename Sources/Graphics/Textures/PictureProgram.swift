// SPDX-License-Identifier: Apache-2.0

import PlayheadConversion
import PlayheadGL
import PlayheadShaders

/// The shaders and uniforms for one combination of planes, alpha, colour and filter.
struct PictureProgram {
    /// The properties that select a program. Everything else is set as uniforms.
    struct Variant: Hashable {
        var colorViewCount = 1
        var hasAlphaView = false
        /// The factor that samples of alpha are multiplied with.
        var alphaScale = 1.0
        var converts = false
        var isColorDifference = false
        /// The conversion of samples, if it is compiled into the program as constants; nil if it is
        /// set as uniforms.
        var fixedConversion: YCbCrConversion?
        var stage = YCbCrConversion.Stage.none
        var alphaIn: PictureAlpha
        var alphaOut: PictureAlpha
        /// The colour transform; nil if the program needs no function of `colorimetry.glsl`.
        var color: ColorTransform.Variant?
        var isUnbounded = false
        /// The number of bits of the target's channels, to which frames of higher precision are
        /// dithered; nil for no dither.
        var ditherDepth: Int?
        /// The axis along which a texture is filtered; nil for frames.
        var scalingAxis: AxisScaling.Axis?
        /// The way in which instances are drawn; nil for a single quad.
        var instances: InstanceStyle?
    }

    /// The texture unit of the backdrop.
    static let backdropUnit = 4

    /// The number of texels in a filter's kernel.
    static let kernelSize = 1024

    let program: GLProgram
    let position: GLUniform
    let texture: GLUniform
    let opacity: GLUniform
    let chromaTransform: GLUniform
    let scaling: GLUniform
    let backdropOrigin: GLUniform
    private let matrix: GLUniform
    private let luma: GLUniform
    private let chroma: GLUniform
    private let offset: GLUniform
    private let lightMatrix: GLUniform
    private let encodingScale: GLUniform
    private let toneMapping: GLUniform
    private let hasFixedConversion: Bool

    init(_ variant: Variant, context: any GLContext) throws(GLError) {
        var defines = [
            ("ALPHA_OPAQUE", "\(PictureAlpha.opaque.rawValue)"),
            ("ALPHA_STRAIGHT", "\(PictureAlpha.straight.rawValue)"),
            ("ALPHA_PREMULTIPLIED", "\(PictureAlpha.premultiplied.rawValue)"),
            ("ALPHA_IN", "\(variant.alphaIn.rawValue)"),
            ("ALPHA_OUT", "\(variant.alphaOut.rawValue)"),
            ("PICTURE_VIEWS", "\(variant.colorViewCount)"),
        ]
        if variant.hasAlphaView { defines.append(("PICTURE_ALPHA_VIEW", "1")) }
        if variant.alphaScale != 1 {
            defines.append(("PICTURE_ALPHA_SCALE", "float(\(variant.alphaScale))"))
        }
        if variant.converts { defines.append(("PICTURE_CONVERTS", "1")) }
        if variant.isColorDifference { defines.append(("PICTURE_IS_YCBCR", "1")) }
        if let conversion = variant.fixedConversion { defines += conversion.defines }
        if variant.stage != .none {
            defines.append(("PICTURE_STAGE", "\(variant.stage.rawValue)"))
        }
        if let color = variant.color { defines += color.defines }
        if variant.isUnbounded { defines.append(("COLOR_UNBOUNDED", "1")) }
        if let depth = variant.ditherDepth {
            defines.append(("DITHER_STEP", "(1.0 / \((1 << depth) - 1).0)"))
        }
        var files = variant.color == nil ? [] : ["colorimetry.glsl"]
        if variant.ditherDepth != nil { files.append("dither.glsl") }
        if let axis = variant.scalingAxis {
            defines.append(("SCALING_AXIS", "\(axis.rawValue)"))
            defines.append(("KERNEL_SIZE", "\(Self.kernelSize).0"))
            files.append("scaling.glsl")
        } else if variant.colorViewCount > 0 {
            files.append("picture.glsl")
        }
        var (vertex, fragment) = ("quad.vert", "layer.frag")
        if let style = variant.instances {
            (vertex, fragment) = ("instance.vert", "instance.frag")
            defines += style.defines
            if style.mode != nil { files.append("blend.glsl") }
        }
        let header = context.capabilities.shaderHeader
        program = try GLProgram(
            vertex: ShaderLibrary.source([vertex], defines: defines, header: header),
            fragment: ShaderLibrary.source(files + [fragment], defines: defines, header: header),
            fragmentOutput: "fragmentColor", label: fragment, context: context)
        program.use()
        for unit in 0..<3 { program.uniform("view\(unit)").setUnit(unit) }
        program.uniform("alphaView").setUnit(3)
        program.uniform("kernel").setUnit(1)
        program.uniform("backdrop").setUnit(Self.backdropUnit)
        position = program.uniform("positionMatrix")
        texture = program.uniform("textureMatrix")
        opacity = program.uniform("opacity")
        chromaTransform = program.uniform("chromaTransform")
        matrix = program.uniform("conversionMatrix")
        luma = program.uniform("conversionLuma")
        chroma = program.uniform("conversionChroma")
        offset = program.uniform("conversionOffset")
        scaling = program.uniform("scaling")
        backdropOrigin = program.uniform("backdropOrigin")
        lightMatrix = program.uniform("lightMatrix")
        encodingScale = program.uniform("encodingScale")
        toneMapping = program.uniform("toneMapping")
        hasFixedConversion = variant.fixedConversion != nil
    }

    /// Sets the uniforms of the conversion of samples. The program must be in use.
    func set(_ conversion: YCbCrConversion) {
        if hasFixedConversion { return }
        offset.set(SIMD3<Float>(conversion.offset))
        if conversion.isColorDifference {
            luma.set(Float(conversion.first.x))
            chroma.set(conversion.chroma)
        } else {
            matrix.set(conversion.matrix)
        }
    }

    /// Sets the uniforms of the transform to the target's values. The program must be in use.
    func set(_ transform: ColorTransform?) {
        guard let transform, !transform.isIdentity else { return }
        lightMatrix.set(transform.matrix.matrix)
        encodingScale.set(Float(transform.encodingScale))
        if let mapping = transform.toneMapping {
            toneMapping.set(
                SIMD3<Float>(
                    Float(mapping.sourcePeak), Float(mapping.targetPeak), Float(mapping.knee)))
        }
    }
}
