// SPDX-License-Identifier: Apache-2.0

/// What an observer is told: a value, and the one before.
///
/// - Corresponds to: `NSKeyValueObservedChange`.
public struct StateChange<Value: Sendable>: Sendable {
    /// What it is now.
    public let newValue: Value
    /// The value before; nil in the first call after `.initial`, and without the option `.old`.
    public let oldValue: Value?
}

/// What an observer wants besides every new value.
///
/// - Corresponds to: `NSKeyValueObservingOptions`.
public struct ObservingOptions: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A first call with the present value.
    public static let initial = ObservingOptions(rawValue: 1 << 0)
    /// The value before with each change.
    public static let old = ObservingOptions(rawValue: 1 << 1)
}
