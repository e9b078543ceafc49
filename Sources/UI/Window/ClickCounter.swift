// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Tells double clicks from single ones, which GLFW does not.
struct ClickCounter {
    /// Presses further apart are clicks of their own; what most desktops are set to.
    private static let interval: Int64 = 400_000_000
    /// How far the pointer may move from one to the next, in screen coordinates.
    private static let distance = 5.0

    private var last: (button: PointerButtonEvent.Button, position: WindowPoint, time: Int64)?
    private var number = 1

    /// Which press in a row this is, or which one a release ends.
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
