// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

extension EffectProgram {
    /// Sets the size of the target.
    func setRenderSize(width: Int, height: Int) {
        renderSize.set(SIMD2(Float(width), Float(height)))
        aspect.set(Float(width) / Float(height))
    }
}

extension GLUniform {
    /// Sets the value of an input, as the type that the shader declares.
    func set(_ value: EffectValue, as type: EffectInput.UniformType, isFired: Bool) {
        switch value {
        case .event: set(isFired)
        case .bool(let value): set(value)
        case .long(let value):
            if type == .uint { set(UInt32(max(0, value))) } else { set(value) }
        case .float(let value): set(value)
        case .point2D(let value):
            if type == .ivec2 { set(Self.rounded(value)) } else { set(value) }
        case .color(let value):
            switch type {
            case .vec3: set(SIMD3(value.x, value.y, value.z))
            case .ivec3:
                let rounded = Self.rounded(value)
                set(SIMD3(rounded.x, rounded.y, rounded.z))
            case .ivec4: set(Self.rounded(value))
            default: set(value)
            }
        case .image: break
        }
    }

    /// Returns the nearest integers that GLSL's `int` can represent.
    private static func rounded<Vector: SIMD>(_ value: Vector) -> Vector.MaskStorage
    where Vector.Scalar == Float, Vector.MaskStorage.Scalar == Int32 {
        var result = Vector.MaskStorage()
        for index in value.indices {
            result[index] = Int32(min(max(value[index].rounded(), -2e9), 2e9))
        }
        return result
    }
}
