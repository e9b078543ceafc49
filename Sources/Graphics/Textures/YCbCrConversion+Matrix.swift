// SPDX-License-Identifier: Apache-2.0

public import PlayheadConversion
public import PlayheadGL

extension YCbCrConversion {
    /// The matrix for a shader's `mat3`.
    public var matrix: GLMatrix3 {
        GLMatrix3(SIMD3<Float>(first), SIMD3<Float>(second), SIMD3<Float>(third))
    }
}
