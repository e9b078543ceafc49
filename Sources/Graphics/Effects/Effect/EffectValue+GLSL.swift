// SPDX-License-Identifier: Apache-2.0

extension EffectValue {
    /// Returns the value as a GLSL literal, or nil for images, events and numbers that are not
    /// finite.
    func literal(_ type: EffectInput.UniformType) -> String? {
        func list(_ values: [Float]) -> String? {
            guard values.allSatisfy(\.isFinite) else { return nil }
            let numbers = values.map { "\($0)" }.joined(separator: ", ")
            return values.count == 1 ? numbers : "\(type.rawValue)(\(numbers))"
        }
        return switch (self, type) {
        case (.bool(let value), .bool): value ? "true" : "false"
        case (.long(let value), .int): "\(value)"
        case (.long(let value), .uint): "\(max(0, value))u"
        case (.float(let value), .float): list([value])
        case (.point2D(let value), .vec2): list([value.x, value.y])
        case (.color(let value), .vec3): list([value.x, value.y, value.z])
        case (.color(let value), .vec4): list([value.x, value.y, value.z, value.w])
        default: nil
        }
    }
}
