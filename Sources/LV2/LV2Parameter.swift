// SPDX-License-Identifier: Apache-2.0

/// A parameter of an LV2 plug-in: a control input with a symbol, a range and a default.
///
/// - Corresponds to: `AUParameter`; `lv2:ControlPort` with `lv2:InputPort`.
public struct LV2Parameter: Sendable, Hashable {
    /// A value with a name.
    public struct ScalePoint: Sendable, Hashable {
        /// The value.
        public let value: Float
        /// The label that users see.
        public let label: String
    }

    /// The name with which the parameter is set, unique in the plug-in.
    public let symbol: String
    /// The name that users see.
    public let name: String
    /// The smallest value; −∞ if the plug-in has no limit.
    public let minimum: Float
    /// The largest value; ∞ if the plug-in has no limit.
    public let maximum: Float
    /// The default value.
    public let defaultValue: Float
    /// The symbol of the unit, such as `dB` or `Hz`, or nil.
    public let unit: String?
    /// A Boolean value that indicates whether the parameter is a switch: on above 0, otherwise off.
    public let isToggle: Bool
    /// A Boolean value that indicates whether only whole numbers are allowed.
    public let isInteger: Bool
    /// A Boolean value that indicates whether the parameter is a menu of its scale points.
    public let isEnumeration: Bool
    /// A Boolean value that indicates whether the value is a fraction of the sample rate. The tap
    /// passes the product to the plug-in.
    public let isRelativeToSampleRate: Bool
    /// The values that have names, in ascending order.
    public let scalePoints: [ScalePoint]

    /// Returns the reason why a value is not allowed, or nil.
    func problem(with value: Float, in plugin: String) -> LV2Error? {
        guard minimum <= value, value <= maximum, value.isFinite else {
            return LV2Error(
                .invalidValue, subject: plugin,
                cause: "parameter '\(symbol)' must be \(range), found \(value)")
        }
        guard !isInteger || value == value.rounded() else {
            return LV2Error(
                .invalidValue, subject: plugin,
                cause: "parameter '\(symbol)' must be a whole number, found \(value)")
        }
        return nil
    }

    private var range: String {
        switch (minimum.isFinite, maximum.isFinite) {
        case (true, true): "between \(minimum) and \(maximum)"
        case (true, false): "at least \(minimum)"
        case (false, true): "at most \(maximum)"
        case (false, false): "a finite number"
        }
    }
}
