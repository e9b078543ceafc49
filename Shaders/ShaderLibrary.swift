// SPDX-License-Identifier: Apache-2.0

/// The shader files of this folder, embedded in the program.
///
/// - Concurrency: any thread.
package enum ShaderLibrary {
    /// A shader file.
    package struct File: Sendable, Hashable {
        /// The file name, such as `picture.glsl`, without its folder. No two files have the same
        /// name.
        package let name: String
        package let text: String
    }

    /// All shader files, including the effects.
    package static let all: [File] = [
        file("picture.glsl", PackageResources.picture_glsl),
        file("colorimetry.glsl", PackageResources.colorimetry_glsl),
        file("sampling.glsl", PackageResources.sampling_glsl),
        file("scaling.glsl", PackageResources.scaling_glsl),
        file("deinterlace.frag", PackageResources.deinterlace_frag),
        file("quad.vert", PackageResources.quad_vert),
        file("dither.glsl", PackageResources.dither_glsl),
        file("layer.frag", PackageResources.layer_frag),
        file("instance.vert", PackageResources.instance_vert),
        file("instance.frag", PackageResources.instance_frag),
        file("blend.glsl", PackageResources.blend_glsl),
        file("bloom.fs", PackageResources.bloom_fs),
        file("checkerboard.fs", PackageResources.checkerboard_fs),
        file("chroma_key.fs", PackageResources.chroma_key_fs),
        file("color_wheel.fs", PackageResources.color_wheel_fs),
        file("contrast.fs", PackageResources.contrast_fs),
        file("curves.fs", PackageResources.curves_fs),
        file("deband.fs", PackageResources.deband_fs),
        file("denoise.fs", PackageResources.denoise_fs),
        file("displace.fs", PackageResources.displace_fs),
        file("edges.fs", PackageResources.edges_fs),
        file("exposure.fs", PackageResources.exposure_fs),
        file("feedback.fs", PackageResources.feedback_fs),
        file("film_grain.fs", PackageResources.film_grain_fs),
        file("gaussian_blur.fs", PackageResources.gaussian_blur_fs),
        file("glitch.fs", PackageResources.glitch_fs),
        file("gradient.fs", PackageResources.gradient_fs),
        file("halftone.fs", PackageResources.halftone_fs),
        file("histogram.fs", PackageResources.histogram_fs),
        file("hue_curve.fs", PackageResources.hue_curve_fs),
        file("kaleidoscope.fs", PackageResources.kaleidoscope_fs),
        file("lens_distortion.fs", PackageResources.lens_distortion_fs),
        file("loupe.fs", PackageResources.loupe_fs),
        file("lut.fs", PackageResources.lut_fs),
        file("picture.fs", PackageResources.picture_fs),
        file("pixelate.fs", PackageResources.pixelate_fs),
        file("sharpen.fs", PackageResources.sharpen_fs),
        file("spectrum.fs", PackageResources.spectrum_fs),
        file("vectorscope.fs", PackageResources.vectorscope_fs),
        file("vignette.fs", PackageResources.vignette_fs),
        file("waveform.fs", PackageResources.waveform_fs),
        file("white_balance.fs", PackageResources.white_balance_fs),
    ]

    /// The built-in effects, which are ISF files.
    package static var effects: [File] { all.filter { $0.name.hasSuffix(".fs") } }

    /// Returns the text of a file.
    ///
    /// - Precondition: the file exists. Names are literals in the program, and are not read from
    ///   input.
    package static func text(_ name: String) -> String {
        guard let file = all.first(where: { $0.name == name }) else {
            preconditionFailure("there is no shader file '\(name)'")
        }
        return file.text
    }

    /// Returns a whole shader: the header, the defines, and then the files one after the other,
    /// each with its own line numbers.
    ///
    /// - Parameters:
    ///   - defines: the names and values of macros, in the order in which they are defined.
    ///   - header: the version line and, for OpenGL ES, the declarations that files written for
    ///     OpenGL 3.3 need.
    package static func source(
        _ files: [String], defines: [(name: String, value: String)] = [],
        header: String = "#version 330 core\n"
    ) -> String {
        var source = header
        for define in defines { source += "#define \(define.name) \(define.value)\n" }
        for (index, name) in files.enumerated() {
            source += "#line 1 \(index)\n" + text(name) + "\n"
        }
        return source
    }

    private static func file(_ name: String, _ bytes: [UInt8]) -> File {
        File(name: name, text: String(decoding: bytes, as: UTF8.self))
    }
}
