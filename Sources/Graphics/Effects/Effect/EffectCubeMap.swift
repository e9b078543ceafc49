// SPDX-License-Identifier: Apache-2.0

/// A cube map that comes with an effect: six images, which the shader samples with a direction.
///
/// - Corresponds to: `TYPE` `cube` of ISF's `IMPORTED`; a channel of Shadertoy with a cube map.
package struct EffectCubeMap: Sendable {
    /// The name of the image that passes bind, or of the sampler in the shader.
    package let name: String
    /// The names of the imported images that are its faces, in the order +x, -x, +y, -y, +z, -z.
    package let faces: [String]
    /// A Boolean value that indicates whether texels are read without interpolation and mipmaps.
    package var isNearest = false
}
