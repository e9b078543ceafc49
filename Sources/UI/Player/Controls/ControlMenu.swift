// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands

/// A menu of the controls.
struct ControlMenu: Sendable, Equatable {
    struct Item: Sendable, Equatable {
        var title: String
        var isChosen: Bool
        /// The command that is performed when the item is chosen.
        var command: PlayerCommand
    }

    var title: String
    var items: [Item]

    /// The speeds in the menu. QuickTime Player and most other players offer the same ones.
    static let speeds = [0.5, 0.75, 1, 1.25, 1.5, 2]

    /// Returns the menu of playback speeds.
    static func speeds(current: Double) -> ControlMenu {
        ControlMenu(
            title: "Speed",
            items: speeds.map { speed in
                Item(
                    title: "\(CommandTime.text(speed))×", isChosen: speed == current,
                    command: .set(.speed, .number(speed)))
            })
    }

    /// Returns a menu of the tracks of a property.
    ///
    /// - Parameters:
    ///   - names: the names of the tracks. The first one has the number 1.
    ///   - current: the current value of the property.
    static func tracks(
        _ property: PlayerProperty, title: String, names: [String], current: PropertyValue?,
        canBeOff: Bool
    ) -> ControlMenu {
        let off = Item(
            title: "Off", isChosen: current == nil || current == PropertyValue.no,
            command: .set(property, .no))
        let items = names.enumerated().map { index, name in
            let value = PropertyValue.number(Double(index + 1))
            return Item(title: name, isChosen: current == value, command: .set(property, value))
        }
        return ControlMenu(title: title, items: (canBeOff ? [off] : []) + items)
    }
}
