// SPDX-License-Identifier: Apache-2.0

/// A change that is reported to an observer, with the new value and the previous one.
///
/// - Corresponds to: `NSKeyValueObservedChange`.
public struct StateChange<Value: Sendable>: Sendable {
    /// The new value.
    public let newValue: Value
    /// The previous value; nil in the first call with `.initial`, and without the option `.old`.
    public let oldValue: Value?
}

/// Options for the calls of an observer's handler.
///
/// - Corresponds to: `NSKeyValueObservingOptions`.
public struct ObservingOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int
    /// Creates options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The handler is also called once with the current value.
    public static let initial = ObservingOptions(rawValue: 1 << 0)
    /// Each change includes the previous value.
    public static let old = ObservingOptions(rawValue: 1 << 1)
}
