// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Decides when controls and pointer are seen: as long as somebody uses them, and two seconds more.
///
/// - Concurrency: a value; the main thread.
struct ControlsVisibility: Sendable, Equatable {
    /// How long they stay when nothing is done.
    static let delay = MediaTime(value: 2, timescale: 1)

    /// When the controls are seen.
    var mode = ControlsMode.automatic
    /// Whether something is held, open or pointed at that must not go away.
    var isHeld = false
    /// Whether there is nothing to look at but the controls, as of sound.
    var isLasting = false
    private var lastUse: MediaTime?
    /// The same, or when the pointer came in: a window that opens under a pointer that lies still shows
    /// the film and nothing else, and the pointer goes.
    private var lastSight: MediaTime?
    private var isPointerInside = false

    /// Somebody moved the pointer or used a key of the controls.
    mutating func use(at time: MediaTime) {
        enter(at: time)
        lastUse = time
    }

    /// The pointer has come in, perhaps since the window has come to it.
    mutating func enter(at time: MediaTime) {
        isPointerInside = true
        lastSight = time
    }

    /// The pointer has left.
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

    /// Whether the pointer is to be seen: also where the controls never are.
    func isCursorVisible(at time: MediaTime) -> Bool {
        if isHeld || !isPointerInside { return true }
        guard let lastSight else { return true }
        return time - lastSight < Self.delay
    }

    /// When something of this changes by itself; nil for never.
    func nextChange(after time: MediaTime) -> MediaTime? {
        guard !isHeld else { return nil }
        return [lastUse, lastSight].compactMap { $0 }.map { $0 + Self.delay }.filter { $0 > time }
            .min()
    }
}
