// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Counts the presses of double and triple clicks, because GLFW does not report them.
struct ClickCounter {
    /// The longest time between the presses of a double click, in nanoseconds. Most desktops use
    /// this value.
    private static let interval: Int64 = 400_000_000
    /// The longest distance between the presses of a double click, in screen coordinates.
    private static let distance = 5.0

    private var last: (button: PointerButtonEvent.Button, position: WindowPoint, time: Int64)?
    private var number = 1

    /// Returns the number of a press in a series of quick presses: 2 for the second press of a
    /// double click. For a release, returns the number of its press.
    mutating func count(
        _ button: PointerButtonEvent.Button, isPressed: Bool, at position: WindowPoint,
        time: Int64 = HostClock.nanoseconds
    ) -> Int {
        guard isPressed else { return number }
        if let last, last.button == button, time - last.time <= Self.interval,
            abs(position.x - last.position.x) <= Self.distance,
            abs(position.y - last.position.y) <= Self.distance
        {
            number += 1
        } else {
            number = 1
        }
        last = (button, position, time)
        return number
    }
}
