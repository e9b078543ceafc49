// SPDX-License-Identifier: Apache-2.0

import CPlayheadKernels

/// The vectors that loops over pixels use on this processor.
enum ConversionVectors {
    /// The number of pixels that counts are rounded up to a multiple of.
    static let padding = 16

    /// A Boolean value that indicates whether the loops in C run on this processor.
    static let haveKernels = ph_kernels_are_supported()

    /// Returns a count of pixels, rounded up to the multiple that the loops need.
    static func padded(_ count: Int) -> Int { (count + padding - 1) / padding * padding }
}
