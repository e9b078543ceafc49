// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Decides when the controls and the pointer are visible: during use, and for two seconds
/// afterwards.
///
/// - Concurrency: a value; the main thread.
struct ControlsVisibility: Sendable, Equatable {
    /// The duration for which the controls and the pointer stay visible after their last use.
    static let delay = MediaTime(value: 2, timescale: 1)

    /// The mode of the controls.
    var mode = ControlsMode.automatic
    /// A Boolean value that indicates whether something is pressed, open or under the pointer.
    var isHeld = false
    /// A Boolean value that indicates whether the controls stay visible without use, as they do for
    /// audio.
    var isLasting = false
    private var lastUse: MediaTime?
    /// The time of the last use, or the time at which the pointer entered the window; nil if there
    /// was neither. If a window opens under a resting pointer, the controls are hidden and the
    /// pointer disappears.
    private var lastSight: MediaTime?
    private var isPointerInside = false

    /// Records a movement of the pointer, or a key that the controls handle.
    mutating func use(at time: MediaTime) {
        enter(at: time)
        lastUse = time
    }

    /// Records that the pointer entered the window. The window may have moved under the pointer.
    mutating func enter(at time: MediaTime) {
        isPointerInside = true
        lastSight = time
    }

    /// Records that the pointer left.
    mutating func leave() {
        isPointerInside = false
        if !isHeld { lastUse = nil }
    }

    func isVisible(at time: MediaTime) -> Bool {
        switch mode {
        case .never: return false
        case .always: return true
        case .automatic:
            if isLasting || isHeld { return true }
            guard let lastUse else { return false }
            return time - lastUse < Self.delay
        }
    }

    /// Returns whether the pointer is visible. This does not depend on the mode of the controls.
    func isCursorVisible(at time: MediaTime) -> Bool {
        if isHeld || !isPointerInside { return true }
        guard let lastSight else { return true }
        return time - lastSight < Self.delay
    }

    /// Returns the time of the next change that happens without an event; nil if no change is due.
    func nextChange(after time: MediaTime) -> MediaTime? {
        guard !isHeld else { return nil }
        return [lastUse, lastSight].compactMap { $0 }.map { $0 + Self.delay }.filter { $0 > time }
            .min()
    }
}
