// SPDX-License-Identifier: Apache-2.0

/// A property of a device that its driver controls, such as brightness or exposure.
///
/// A camera keeps the values of its controls until it is unplugged, even after the program ends.
/// Setting a control does not interrupt a running session.
///
/// - Corresponds to: the exposure, focus and white balance properties of `AVCaptureDevice`.
public struct CaptureControl: Sendable, Hashable {
    /// The values of a control.
    public enum Kind: Sendable, Hashable {
        /// Numbers from a minimum to a maximum, in steps.
        case integer(ClosedRange<Int>, step: Int)
        /// 0 or 1.
        case boolean
        /// One of several named values.
        case menu([Int: String])
    }

    /// The driver's name in lower case with underscores, such as `exposure_dynamic_framerate`.
    public var name: String
    /// The values that the control can have.
    public var kind: Kind
    /// The driver's default value.
    public var defaultValue: Int
    /// The value that the driver reported when the controls were loaded.
    public var value: Int
    /// A Boolean value that indicates whether the value can be set at the moment. The camera sets
    /// some controls itself until another control is changed.
    public var isSettable: Bool

    package init(name: String, kind: Kind, defaultValue: Int, value: Int, isSettable: Bool) {
        self.name = name
        self.kind = kind
        self.defaultValue = defaultValue
        self.value = value
        self.isSettable = isSettable
    }

    /// Returns whether the control accepts `value`.
    package func contains(_ value: Int) -> Bool {
        switch kind {
        case .integer(let range, let step):
            range.contains(value) && (value - range.lowerBound) % max(step, 1) == 0
        case .boolean: value == 0 || value == 1
        case .menu(let names): names[value] != nil
        }
    }

    /// The values as text, such as `0 to 255` or `1 (Manual Mode) or 3 (Auto)`.
    package var valuesText: String {
        switch kind {
        case .integer(let range, let step):
            "\(range.lowerBound) to \(range.upperBound)" + (step > 1 ? " in steps of \(step)" : "")
        case .boolean: "0 or 1"
        case .menu(let names):
            names.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
                .joined(separator: " or ")
        }
    }
}
