// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
package import PlayheadWindow

/// The video on another monitor.
extension PlayerWindow {
    /// The monitor that shows the video without controls in addition to this window, or nil.
    package var outputMonitor: DisplayMonitor? { output?.monitor }

    /// Shows the video in full screen on a monitor; nil stops showing it there.
    ///
    /// - Errors: thrown if no window can be opened on the monitor. In that case, the previous
    ///   monitor no longer shows the video either.
    package func showFilm(on monitor: DisplayMonitor?) throws(WindowError) {
        guard monitor != output?.monitor else { return }
        missedMonitor = nil
        output?.close()
        output = nil
        defer { setNeedsUpdate() }
        guard let monitor else { return }
        output = try OutputWindow(
            of: player, on: monitor,
            onEvent: { [weak self] in self?.handleOutput($0) },
            onLoss: { [weak self] in self?.remakeOutput() })
        update()
    }

    /// Handles the events of the window on the other monitor. Its keys are the same as in this
    /// window, except that Escape closes it.
    private func handleOutput(_ event: WindowEvent) {
        switch event {
        case .closeRequested: closeOutput()
        case .key(let key) where key.key == .escape:
            if key.action == .press { closeOutput() }
        case .key, .text: handle(event)
        case .dropped: handle(event)
        default: break
        }
    }

    /// Responds when monitors are plugged in or unplugged. If the monitor with the video is
    /// unplugged, its window closes; if the monitor returns, the window is opened again.
    func followMonitors() {
        defer { setNeedsUpdate() }
        if let output, !output.isThere {
            let name = output.monitor.name
            try? showFilm(on: nil)
            missedMonitor = name
        }
        guard let missedMonitor, let monitors = try? DisplayMonitor.all(), monitors.count > 1,
            let monitor = monitors.first(where: { $0.name == missedMonitor }),
            monitor != window.monitor
        else { return }
        try? showFilm(on: monitor)
    }

    /// Opens the window on the monitor again as soon as the driver allows it.
    private func remakeOutput() {
        guard let monitor = output?.monitor else { return }
        try? showFilm(on: nil)
        reopenOutput(on: monitor)
    }

    private func reopenOutput(on monitor: DisplayMonitor) {
        guard isOpen, output == nil, monitor.isPluggedIn else { return }
        do {
            try showFilm(on: monitor)
        } catch {
            Task { [weak self] in
                try? await Task.sleep(for: .seconds(1))
                self?.reopenOutput(on: monitor)
            }
        }
    }

    func closeOutput() {
        // GLFW cannot destroy a window during an event.
        Task { [weak self] in try? self?.showFilm(on: nil) }
    }

    func provideOutput() {
        controller.provide(
            .outputMonitor,
            PropertyAccess(
                get: { [weak self] in
                    guard let monitor = self?.outputMonitor else { return .no }
                    let index = (try? DisplayMonitor.all())?.firstIndex(of: monitor)
                    return index.map { .text(String($0)) } ?? .no
                },
                choices: { [weak self] in
                    guard let self else { return [] }
                    // The window with the video must not cover the controls.
                    let own = window.monitor
                    let monitors = (try? DisplayMonitor.all()) ?? []
                    return monitors.indices.filter { monitors[$0] != own }.map {
                        .text(String($0))
                    } + [.no]
                }
            ) { [weak self] (value) throws(CommandError) in
                try self?.setOutput(value)
            })
    }

    private func setOutput(_ value: PropertyValue) throws(CommandError) {
        do throws(WindowError) {
            guard value != .no else {
                try showFilm(on: nil)
                return
            }
            let monitors = try DisplayMonitor.all()
            let index = Int(value.description)
            let monitor = index.flatMap { monitors.indices.contains($0) ? monitors[$0] : nil }
            guard let monitor = monitor ?? monitors.first(where: { $0.name == value.description })
            else {
                throw WindowError.noDisplay(
                    reason: "expected a monitor from 0 to \(monitors.count - 1), found '\(value)'")
            }
            try showFilm(on: monitor)
        } catch {
            throw .wrongValue(
                argument: "output-monitor", value: value.description,
                expected: "the number or name of a monitor, or 'no' (\(error))")
        }
    }
}
