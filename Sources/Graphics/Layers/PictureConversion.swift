// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadGL

/// Who converts pictures from Y'CbCr to R'G'B' and to the size they are seen at.
///
/// By itself the renderer leaves it to a shader, unless OpenGL is software (llvmpipe, softpipe,
/// swrast: virtual machines, remote desktops, continuous integration): there every pixel shaded
/// costs the processor about ten times what its own loops need, and it converts by these. What is
/// seen is the same to one code value.
///
/// Builds without optimisation leave it to the shader everywhere, for loops need the optimiser.
///
/// The environment variable `PLAYHEAD_CONVERSION`, `gpu` or `cpu`, overrides the choice, to compare
/// the two.
package enum PictureConversion: String, Sendable, Hashable, CaseIterable {
    /// A shader, of planes in textures.
    case gpu
    /// `PictureConverter`, for the pictures that it can convert; a shader for the others, and for
    /// effects that read a film's own chroma.
    case cpu

    /// What the renderer does of itself in a context: what the environment says, else what is
    /// quicker.
    ///
    /// - Parameter isOptimized: whether the compiler optimised the loops, without which they are a
    ///   hundred times slower.
    package static func automatic(
        for capabilities: GLCapabilities, isOptimized: Bool = !_isDebugAssertConfiguration()
    ) -> PictureConversion {
        if let value = getenv(variable), let choice = Self(rawValue: String(cString: value)) {
            return choice
        }
        return capabilities.isSoftware && isOptimized ? .cpu : .gpu
    }

    /// Name of the environment variable that overrides the choice.
    package static let variable = "PLAYHEAD_CONVERSION"
}
