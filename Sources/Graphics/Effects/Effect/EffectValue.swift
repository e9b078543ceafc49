// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// A value of an effect's input.
public enum EffectValue: Sendable {
    /// A trigger, which is true for one frame after it was set.
    case event
    /// A Boolean value.
    case bool(Bool)
    /// The number of a menu item.
    case long(Int32)
    /// A number.
    case float(Float)
    /// A point, in the units of the input.
    case point2D(SIMD2<Float>)
    /// Red, green, blue and alpha, nonlinear, from 0 to 1, not premultiplied.
    case color(SIMD4<Float>)
    /// An image; nil for no image, which is read as transparent black.
    case image(PixelBuffer?)

    /// The value as text for a command line; nil if there is no such text.
    public var text: String? {
        switch self {
        case .event, .image: nil
        case .bool(let value): value ? "true" : "false"
        case .long(let value): "\(value)"
        case .float(let value): "\(value)"
        case .point2D(let value): "\(value.x),\(value.y)"
        case .color(let value): "\(value.x),\(value.y),\(value.z),\(value.w)"
        }
    }

    /// The value as a number, for size expressions; 0 if the value is not a number.
    public var number: Double {
        switch self {
        case .bool(let value): value ? 1 : 0
        case .long(let value): Double(value)
        case .float(let value): Double(value)
        default: 0
        }
    }
}

extension EffectValue: Equatable {
    /// Returns whether two values are equal. Images are compared by identity.
    public static func == (left: EffectValue, right: EffectValue) -> Bool {
        switch (left, right) {
        case (.event, .event): true
        case (.bool(let left), .bool(let right)): left == right
        case (.long(let left), .long(let right)): left == right
        case (.float(let left), .float(let right)): left == right
        case (.point2D(let left), .point2D(let right)): left == right
        case (.color(let left), .color(let right)): left == right
        case (.image(let left), .image(let right)): left === right
        default: false
        }
    }
}
