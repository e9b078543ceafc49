// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The monitor on which the last window was, saved in a file so that the next window opens on it.
/// With a single monitor, the file is neither read nor written.
///
/// Errors are ignored. In that case, windows open where the desktop places them.
///
/// - Concurrency: the main thread.
@MainActor struct SavedMonitor {
    private let url: URL?

    init(_ url: URL? = UserFolders.state?.appendingPathComponent("monitor")) { self.url = url }

    /// The saved monitor; nil if it is not connected, or if there is only one monitor.
    var monitor: DisplayMonitor? {
        guard let monitors = Self.choice, let url,
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return nil }
        return Self.find(text, among: monitors)
    }

    /// Saves a monitor.
    func save(_ monitor: DisplayMonitor?) {
        guard let url, let monitor, Self.choice != nil, monitor != self.monitor else { return }
        try? FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try? Self.text(of: monitor).write(to: url, atomically: true, encoding: .utf8)
    }

    /// Centres a window on the monitor, unless it is on that monitor already.
    func place(_ window: Window) {
        guard let monitor, monitor != window.monitor else { return }
        let size = window.size
        window.position = WindowPoint(
            x: monitor.position.x + Double(max(0, monitor.size.width - size.width) / 2),
            y: monitor.position.y + Double(max(0, monitor.size.height - size.height) / 2))
    }

    private static var choice: [DisplayMonitor]? {
        guard let monitors = try? DisplayMonitor.all(), monitors.count > 1 else { return nil }
        return monitors
    }

    /// Returns the position and the name of a monitor. The name alone is not enough, because
    /// monitors of the same model have the same name.
    nonisolated static func text(of monitor: DisplayMonitor) -> String {
        "\(Int(monitor.position.x)) \(Int(monitor.position.y)) \(monitor.name)"
    }

    /// Returns the monitor that a text describes. If no monitor has this position, returns one with
    /// the same name, which may have been moved.
    nonisolated static func find(
        _ text: String, among monitors: [DisplayMonitor]
    ) -> DisplayMonitor? {
        if let same = monitors.first(where: { Self.text(of: $0) == text }) { return same }
        let name = text.split(separator: " ", maxSplits: 2).dropFirst(2).first
        return monitors.first { $0.name == name.map(String.init) }
    }
}
