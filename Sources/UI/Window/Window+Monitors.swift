// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import PlayheadTime

/// The response to monitors that are plugged in or unplugged while windows are open.
extension Window {
    /// Updates every window for a change of the monitors, and sends each an event.
    static func tellOfMonitors() {
        // A handler may open and close windows.
        for window in openWindows where window.isOpen {
            window.comeBack()
            window.followMonitor()
            window.eventHandler?(.monitorsChanged)
        }
    }

    /// Moves the window to another monitor if the window's monitor has been unplugged.
    private func comeBack() {
        if !isFullscreen { restoreWindowedFrame() }
        guard let monitor, !monitor.overlaps(position, size) else { return }
        position = monitor.middle(for: size)
    }

    /// Sets the refresh rate that the display link expects.
    func followMonitor() {
        if let period = monitor?.nominalPeriod { vsyncSource?.nominalPeriod = period }
    }
}

extension DisplayMonitor {
    /// Returns the position of the upper left corner of a window that is centred on the monitor.
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
