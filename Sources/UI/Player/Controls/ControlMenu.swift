// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands

/// What a menu has to choose from.
struct ControlMenu: Sendable, Equatable {
    struct Item: Sendable, Equatable {
        var title: String
        var isChosen: Bool
        /// What choosing it does.
        var command: PlayerCommand
    }

    var title: String
    var items: [Item]

    /// The speeds that the menu has: those of QuickTime Player and most others.
    static let speeds = [0.5, 0.75, 1, 1.25, 1.5, 2]

    /// The menu of speeds of play.
    static func speeds(current: Double) -> ControlMenu {
        ControlMenu(
            title: "Speed",
            items: speeds.map { speed in
                Item(
                    title: "\(CommandTime.text(speed))×", isChosen: speed == current,
                    command: .set(.speed, .number(speed)))
            })
    }

    /// A menu of the tracks of a property.
    ///
    /// - Parameters:
    ///   - names: of the tracks, the first of which has the number 1.
    ///   - current: the property's value.
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
