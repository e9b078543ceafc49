// SPDX-License-Identifier: Apache-2.0

/// Values that the effect panel shows above the effects, such as the controls of a camera.
///
/// - Concurrency: the main actor.
@MainActor package protocol PanelSettings: AnyObject {
    /// The title above the values.
    var title: String { get }
    /// The values, in the order in which they are shown.
    var settings: [PanelSetting] { get }
    /// The values that differ from their defaults, as an argument of the command line; empty if
    /// there are none.
    var argument: String { get }
    /// Sets a value, which `PanelSetting.nearest(to:)` returned.
    func set(_ value: Int, for name: String)
}

/// A value of `PanelSettings`.
package struct PanelSetting: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Numbers from a minimum to a maximum, in steps.
        case number(ClosedRange<Int>, step: Int)
        /// 0 or 1.
        case toggle
        /// One of several values with titles, in the order in which they are shown.
        case menu([Choice])
    }

    /// An item of a menu.
    package struct Choice: Equatable, Sendable {
        package var value: Int
        package var label: String

        package init(value: Int, label: String) {
            self.value = value
            self.label = label
        }
    }

    package var name: String
    package var label: String
    package var kind: Kind
    package var value: Int
    package var defaultValue: Int
    /// A Boolean value that indicates whether the value can be set at the moment.
    package var isSettable: Bool

    package init(
        name: String, label: String, kind: Kind, value: Int, defaultValue: Int,
        isSettable: Bool = true
    ) {
        self.name = name
        self.label = label
        self.kind = kind
        self.value = value
        self.defaultValue = defaultValue
        self.isSettable = isSettable
    }

    /// Returns the possible value that is nearest to a number. If the number differs from the
    /// value by less than a step, the result is one step away from the value.
    package func nearest(to number: Int) -> Int {
        switch kind {
        case .toggle: return number == 0 ? 0 : 1
        case .menu(let choices): return choices.contains { $0.value == number } ? number : value
        case .number(let range, let step):
            let step = max(step, 1)
            let clamped = min(max(number, range.lowerBound), range.upperBound)
            // The driver chooses the bounds, which can be those of 32 bits.
            let count = (clamped - range.lowerBound + step / 2) / step
            var result = range.lowerBound + count * step
            if result > range.upperBound { result -= step }
            guard result == value, number != value else { return result }
            let next = number > value ? value + step : value - step
            return range.contains(next) ? next : result
        }
    }

    /// The value as text.
    package var text: String {
        switch kind {
        case .number: "\(value)"
        case .toggle: value == 0 ? "Off" : "On"
        case .menu(let choices): choices.first { $0.value == value }?.label ?? "\(value)"
        }
    }
}
