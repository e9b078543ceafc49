// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadGL

/// The processor that converts frames from Y'CbCr to R'G'B' and scales them to their size on the
/// target.
///
/// By default a shader converts frames. On software OpenGL (llvmpipe, softpipe, swrast: virtual
/// machines, remote desktops, continuous integration), a shaded pixel costs the CPU about ten times
/// as much as the converter's loops, so there the loops convert the frames. The results differ by
/// at most one code value.
///
/// Builds without optimisation use the shader everywhere, because the loops depend on the
/// optimiser.
///
/// The environment variable `PLAYHEAD_CONVERSION`, with the value `gpu` or `cpu`, overrides the
/// choice, so that the two can be compared.
package enum PictureConversion: String, Sendable, Hashable, CaseIterable {
    /// A shader, which reads the frame's planes from textures.
    case gpu
    /// `PictureConverter`, for the frames that it supports. A shader converts the others, and
    /// frames for effects that read a video's stored chroma.
    case cpu

    /// Returns the default for a renderer: the processor that the environment variable names or, if
    /// the variable is not set, the faster processor for the context.
    ///
    /// - Parameter isOptimized: true if the compiler optimised the CPU's loops, which are a hundred
    ///   times slower otherwise.
    package static func automatic(
        for capabilities: GLCapabilities, isOptimized: Bool = !_isDebugAssertConfiguration()
    ) -> PictureConversion {
        if let value = getenv(variable), let choice = Self(rawValue: String(cString: value)) {
            return choice
        }
        return capabilities.isSoftware && isOptimized ? .cpu : .gpu
    }

    /// The name of the environment variable that overrides the choice.
    package static let variable = "PLAYHEAD_CONVERSION"
}
