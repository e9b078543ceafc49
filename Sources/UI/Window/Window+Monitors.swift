// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import PlayheadTime

/// Monitors that are plugged in or unplugged while windows are open.
extension Window {
    /// Has every window follow its monitor, and sends it an event.
    static func tellOfMonitors() {
        // A handler may open and close windows.
        for window in openWindows where window.isOpen {
            window.comeBack()
            window.followMonitor()
            window.eventHandler?(.monitorsChanged)
        }
    }

    /// Moves the window away from a monitor that has been unplugged.
    private func comeBack() {
        if !isFullscreen { restoreWindowedFrame() }
        guard let monitor, !monitor.overlaps(position, size) else { return }
        position = monitor.middle(for: size)
    }

    /// Sets the rate that the display link expects.
    func followMonitor() {
        if let period = monitor?.nominalPeriod { vsyncSource?.nominalPeriod = period }
    }
}

extension DisplayMonitor {
    /// Returns the upper left corner of a window in the middle of the monitor.
    func middle(for size: WindowSize) -> WindowPoint {
        WindowPoint(
            x: position.x + Double(max(0, self.size.width - size.width) / 2),
            y: position.y + Double(max(0, self.size.height - size.height) / 2))
    }

    /// Returns whether the monitor shows a part of a window.
    func overlaps(_ position: WindowPoint, _ size: WindowSize) -> Bool {
        position.x < self.position.x + Double(self.size.width)
            && self.position.x < position.x + Double(size.width)
            && position.y < self.position.y + Double(self.size.height)
            && self.position.y < position.y + Double(size.height)
    }
}
