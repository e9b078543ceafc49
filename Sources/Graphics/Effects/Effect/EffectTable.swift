// SPDX-License-Identifier: Apache-2.0

/// A table of numbers that comes with an effect as a texture.
///
/// - Corresponds to: a `TEXTURE` block of mpv's user shaders.
package struct EffectTable: Sendable {
    /// The values that are read beyond the edges.
    package enum Border: String, Sendable {
        case clamp = "CLAMP"
        case `repeat` = "REPEAT"
        case mirror = "MIRROR"
    }

    /// The name of the sampler in the shader.
    package let name: String
    /// The lengths of the one to three sides, in texels.
    package let size: [Int]
    /// The number of channels of a texel, from 1 to 4.
    package let channelCount: Int
    /// The number of bytes of a channel in `bytes`: 1, 2 or 4.
    package let bytesPerChannel: Int
    /// A Boolean value that indicates whether channels are floats.
    package let isFloat: Bool
    /// A Boolean value that indicates whether the texture has 16-bit floats. As for mpv, OpenGL
    /// converts 32-bit floats, because drivers round them in different ways.
    package let isHalf: Bool
    /// A Boolean value that indicates whether neighbouring texels are interpolated.
    package let isLinear: Bool
    /// The values that are read beyond the edges.
    package let border: Border
    /// A Boolean value that indicates whether shaders write the table. Its content is kept from
    /// frame to frame.
    package var isStorage = false
    /// The texels, without padding; empty for a table of zeros.
    package let bytes: [UInt8]

    /// The type of the sampler in GLSL.
    var samplerType: String { "sampler\(size.count)D" }
    /// The type of the image in GLSL, if shaders write the table.
    var imageType: String { "image\(size.count)D" }
    /// The format in the layout qualifier of an image, such as `r16f`.
    var imageFormat: String {
        "rgba".prefix(channelCount) + "\(isHalf ? 16 : bytesPerChannel * 8)" + (isFloat ? "f" : "")
    }
}
