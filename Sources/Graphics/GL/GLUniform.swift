// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A uniform of the program in use.
///
/// - Concurrency: render thread, while the program that returned the uniform is in use.
/// - Corresponds to: a uniform location and `glUniform…`.
package struct GLUniform {
    let location: Int32

    package func set(_ value: Bool) { ph_glUniform1i(location, value ? 1 : 0) }
    package func set(_ value: Int32) { ph_glUniform1i(location, value) }
    package func set(_ value: Float) { ph_glUniform1f(location, value) }
    package func set(_ value: SIMD2<Float>) { ph_glUniform2f(location, value.x, value.y) }
    package func set(_ value: SIMD3<Float>) { ph_glUniform3f(location, value.x, value.y, value.z) }
    package func set(_ value: SIMD4<Float>) {
        ph_glUniform4f(location, value.x, value.y, value.z, value.w)
    }

    package func set(_ value: SIMD2<Int32>) { ph_glUniform2i(location, value.x, value.y) }
    package func set(_ value: SIMD3<Int32>) {
        ph_glUniform3i(location, value.x, value.y, value.z)
    }
    package func set(_ value: SIMD4<Int32>) {
        ph_glUniform4i(location, value.x, value.y, value.z, value.w)
    }
    package func set(_ value: UInt32) { ph_glUniform1ui(location, value) }

    /// Sets a 3 x 3 matrix.
    package func set(_ value: GLMatrix3) {
        withUnsafeBytes(of: value.elements) { bytes in
            ph_glUniformMatrix3fv(
                location, 1, 0, bytes.assumingMemoryBound(to: Float.self).baseAddress)
        }
    }

    /// Makes a sampler read a texture unit. Units are counted from the first one that Playhead
    /// uses.
    package func setUnit(_ unit: Int) {
        ph_glUniform1i(location, Int32(GLBindings.current.unitBase + unit))
    }
}

/// A 3 x 3 matrix of floats: an affine map of the plane, or a linear map of colours.
package struct GLMatrix3: Sendable, Hashable {
    /// Nine numbers without padding, column by column, as GLSL's `mat3` requires.
    var elements: Elements

    struct Elements: Sendable, Hashable {
        var a: Float, b: Float, c: Float
        var d: Float, e: Float, f: Float
        var g: Float, h: Float, i: Float
    }

    /// Creates a matrix from three columns.
    package init(_ first: SIMD3<Float>, _ second: SIMD3<Float>, _ third: SIMD3<Float>) {
        elements = Elements(
            a: first.x, b: first.y, c: first.z, d: second.x, e: second.y, f: second.z,
            g: third.x, h: third.y, i: third.z)
    }

    /// The identity matrix.
    package static let identity = GLMatrix3(SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))

    /// Creates the affine map that takes the unit square's corners (0, 0), (1, 0) and (0, 1) to
    /// three points.
    package init(
        origin: SIMD2<Double>, right: SIMD2<Double>, down: SIMD2<Double>
    ) {
        let x = right - origin
        let y = down - origin
        self.init(
            SIMD3(Float(x.x), Float(x.y), 0), SIMD3(Float(y.x), Float(y.y), 0),
            SIMD3(Float(origin.x), Float(origin.y), 1))
    }

    /// Returns the point to which an affine map takes a point.
    package func point(_ point: SIMD2<Float>) -> SIMD2<Float> {
        SIMD2(
            elements.a * point.x + elements.d * point.y + elements.g,
            elements.b * point.x + elements.e * point.y + elements.h)
    }

    /// Returns the difference of two points that an affine map takes to points of the given
    /// difference; nil if the map takes all points to a line.
    package func source(ofDifference difference: SIMD2<Float>) -> SIMD2<Float>? {
        let (x, y) = (SIMD2(elements.a, elements.b), SIMD2(elements.d, elements.e))
        let area = x.x * y.y - x.y * y.x
        guard area != 0 else { return nil }
        return SIMD2(
            (difference.x * y.y - difference.y * y.x) / area,
            (difference.y * x.x - difference.x * x.y) / area)
    }
}
