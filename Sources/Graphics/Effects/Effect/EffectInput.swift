// SPDX-License-Identifier: Apache-2.0

/// An input of an effect: a uniform of its shader with a name, a type, a default and a range.
///
/// - Corresponds to: an element of ISF's `INPUTS`.
public struct EffectInput: Sendable, Equatable {
    /// The type of an input, as in ISF's `TYPE`.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A trigger that is true for one frame.
        case event
        /// A Boolean value.
        case bool
        /// An integer, usually one of a list of choices.
        case long
        /// A number.
        case float
        /// A point or a vector of two components.
        case point2D
        /// A colour with alpha.
        case color
        /// An image or a video.
        case image
        /// The waveform of the audio, as a texture.
        case audio
        /// The spectrum of the audio, as a texture.
        case audioFFT
    }

    /// The type of the uniform in the shader.
    package enum UniformType: String, Sendable, Hashable, CaseIterable {
        case bool, int, uint, float, vec2, vec3, vec4, ivec2, ivec3, ivec4, sampler2D

        /// The kind of value that users set for a uniform of this type.
        var kind: Kind {
            switch self {
            case .bool: .bool
            case .int, .uint: .long
            case .float: .float
            case .vec2, .ivec2: .point2D
            case .vec3, .vec4, .ivec3, .ivec4: .color
            case .sampler2D: .image
            }
        }
    }

    /// A choice in the menu of a `long` input.
    public struct Choice: Sendable, Hashable {
        /// The value of the uniform.
        public let value: Int32
        /// The label that users see.
        public let label: String
    }

    /// The name with which the input is set. In formats that declare inputs, it is also the name of
    /// the uniform.
    public let name: String
    /// The name of the uniform in the shader. It differs from `name` if authors of the format may
    /// use that name for something else.
    var uniformName: String
    /// A Boolean value that indicates whether the declaration has a default, a range or a label.
    var isAnnotated = false
    /// The kind of value.
    public let kind: Kind
    /// The type in GLSL.
    package let uniformType: UniformType
    /// The label for users; the name if the file has none.
    public var label: String
    /// The group under which the input is shown, or an empty string.
    public var group = ""
    /// The default value.
    public var defaultValue: EffectValue
    /// The lower end of the slider, or nil. Values below it are allowed.
    public var minimum: EffectValue?
    /// The upper end of the slider, or nil. Values above it are allowed.
    public var maximum: EffectValue?
    /// The value at which the effect does nothing.
    package var identity: EffectValue?
    /// The choices of a menu, in order.
    public var choices: [Choice] = []
    /// A Boolean value that indicates whether the value is a constant of the shader, which is
    /// compiled again when the value changes.
    var isConstant = false
    /// The number of samples or frequencies of an `audio` or `audioFFT` input (its `MAX`), or nil
    /// for the default.
    package var sampleCount: Int?

    /// Creates an input for a kind of value, with the uniform type that ISF defines for it.
    ///
    /// - Parameter defaultValue: The default; nil for 0, false, black or no image.
    package init(name: String, kind: Kind, defaultValue: EffectValue? = nil) {
        let type: UniformType =
            switch kind {
            case .event, .bool: .bool
            case .long: .int
            case .float: .float
            case .point2D: .vec2
            case .color: .vec4
            case .image, .audio, .audioFFT: .sampler2D
            }
        self.init(name: name, kind: kind, uniformType: type, defaultValue: defaultValue)
    }

    /// Creates an input for a uniform of a given GLSL type.
    init(name: String, uniformType: UniformType, defaultValue: EffectValue? = nil) {
        self.init(
            name: name, kind: uniformType.kind, uniformType: uniformType,
            defaultValue: defaultValue)
    }

    private init(
        name: String, kind: Kind, uniformType: UniformType, defaultValue: EffectValue?
    ) {
        self.name = name
        uniformName = name
        self.kind = kind
        self.uniformType = uniformType
        label = name
        let zero: EffectValue =
            switch kind {
            case .event: .event
            case .bool: .bool(false)
            case .long: .long(0)
            case .float: .float(0)
            case .point2D: .point2D(SIMD2(0, 0))
            case .color: .color(SIMD4(0, 0, 0, 1))
            case .image, .audio, .audioFFT: .image(nil)
            }
        self.defaultValue = defaultValue ?? zero
    }

    /// A Boolean value that indicates whether the shader reads the input with a sampler.
    package var isSampler: Bool { kind == .image || kind == .audio || kind == .audioFFT }
}

extension EffectInput {
    /// Parses a value in the notation of the command line: `0.5`, `true`, `#00ff00`, `0,1,0`, the
    /// number or the label of a menu item. Returns nil if the text is not valid for this kind of
    /// input.
    public func value(parsing text: String) -> EffectValue? {
        switch kind {
        case .event:
            return .event
        case .bool:
            switch text.lowercased() {
            case "true", "yes", "on", "1": return .bool(true)
            case "false", "no", "off", "0": return .bool(false)
            default: return nil
            }
        case .long:
            if let choice = choices.first(where: { $0.label.lowercased() == text.lowercased() }) {
                return .long(choice.value)
            }
            return Int32(text).map { .long($0) }
        case .float:
            return Float(text).flatMap { $0.isFinite ? .float($0) : nil }
        case .point2D:
            let numbers = Self.numbers(text)
            return numbers?.count == 2
                ? numbers.map { .point2D([$0[0], $0[1]]) } : nil
        case .color:
            if text.hasPrefix("#") { return Self.color(hexadecimal: text.dropFirst()) }
            guard let numbers = Self.numbers(text), (3...4).contains(numbers.count) else {
                return nil
            }
            return .color([
                numbers[0], numbers[1], numbers[2], numbers.count == 4 ? numbers[3] : 1,
            ])
        case .image, .audio, .audioFFT:
            return nil
        }
    }

    /// Returns a value in the notation of `value(parsing:)`, or nil if there is no notation for it.
    ///
    /// For a menu item, the text is the item's number. If that number is the label of another item,
    /// the text is the item's label.
    func text(of value: EffectValue) -> String? {
        guard let text = value.text, self.value(parsing: text) != value else { return value.text }
        return choices.first { .long($0.value) == value }?.label ?? text
    }

    private static func numbers(_ text: String) -> [Float]? {
        var numbers: [Float] = []
        for part in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
            guard let number = Float(part), number.isFinite else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    private static func color(hexadecimal digits: Substring) -> EffectValue? {
        guard digits.count == 6 || digits.count == 8, let code = UInt32(digits, radix: 16) else {
            return nil
        }
        let full = digits.count == 8 ? code : code << 8 | 0xFF
        func channel(_ shift: UInt32) -> Float { Float(full >> shift & 0xFF) / 255 }
        return .color([channel(24), channel(16), channel(8), channel(0)])
    }
}
