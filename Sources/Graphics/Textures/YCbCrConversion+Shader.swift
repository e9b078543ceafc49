// SPDX-License-Identifier: Apache-2.0

package import PlayheadConversion
package import PlayheadGL

extension YCbCrConversion {
    /// The matrix for a shader's `mat3`.
    package var matrix: GLMatrix3 {
        GLMatrix3(SIMD3<Float>(first), SIMD3<Float>(second), SIMD3<Float>(third))
    }

    /// The factors of chroma in a matrix of luma and colour difference: Cr to red, Cb and Cr to
    /// green, Cb to blue.
    var chroma: SIMD4<Float> {
        SIMD4(Float(third.x), Float(second.y), Float(third.y), Float(second.z))
    }

    /// The conversion as constants for `picture.glsl`.
    var defines: [(name: String, value: String)] {
        func list(_ values: [SIMD3<Double>]) -> String {
            values.flatMap { [$0.x, $0.y, $0.z] }.map { "\(Float($0))" }.joined(separator: ", ")
        }
        let offset = ("CONVERSION_OFFSET", "vec3(\(list([offset])))")
        guard isColorDifference else {
            return [offset, ("CONVERSION_MATRIX", "mat3(\(list([first, second, third])))")]
        }
        let chroma = chroma
        return [
            offset, ("CONVERSION_LUMA", "\(Float(first.x))"),
            ("CONVERSION_CHROMA", "vec4(\(chroma.x), \(chroma.y), \(chroma.z), \(chroma.w))"),
        ]
    }
}
