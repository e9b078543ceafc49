// SPDX-License-Identifier: Apache-2.0

/// The label of an effect's input, without the unit. The unit is shown beside the value.
///
/// In effect files, labels often contain the unit: `Radius, in pixels` or `Angle (degrees)`.
struct InputLabel: Equatable {
    let text: String
    /// The unit that follows a number, or an empty string.
    let unit: String

    init(_ label: String) {
        for (name, unit) in Self.units {
            for suffix in [", in \(name)", " in \(name)", " (in \(name))", " (\(name))"]
            where label.lowercased().hasSuffix(suffix) && label.count > suffix.count {
                self.init(text: String(label.dropLast(suffix.count)), unit: unit)
                return
            }
        }
        self.init(text: label, unit: "")
    }

    private init(text: String, unit: String) {
        self.text = text
        self.unit = unit
    }

    private static let units = [
        ("pixels", "px"), ("px", "px"), ("degrees", "°"), ("deg", "°"), ("radians", "rad"),
        ("seconds", "s"), ("milliseconds", "ms"), ("ms", "ms"), ("percent", "%"), ("%", "%"),
        ("hertz", "Hz"), ("hz", "Hz"), ("kelvin", "K"), ("k", "K"), ("stops", "stops"),
        ("decibels", "dB"), ("db", "dB"),
    ]
}
