// SPDX-License-Identifier: Apache-2.0

import CPlayheadKernels

/// The properties of the vectors that loops over pixels use on this processor.
enum ConversionVectors {
    /// The multiple to which counts of pixels are rounded up.
    static let padding = 16

    /// A Boolean value that indicates whether the loops in C run on this processor.
    static let haveKernels = ph_kernels_are_supported()

    /// Returns a count of pixels, rounded up to a multiple of `padding`.
    static func padded(_ count: Int) -> Int { (count + padding - 1) / padding * padding }
}
