// SPDX-License-Identifier: Apache-2.0

import PlayheadCapture
import PlayheadUI

/// The controls of a camera as settings of the panel.
///
/// Some controls are set by the camera itself, and others become settable when a control is
/// changed. The values are therefore queried again after each change, and once a second while they
/// are shown.
@MainActor final class CameraControls: PanelSettings {
    private let camera: CameraArgument
    private let device: CaptureDevice
    private var loaded: [PanelSetting] = []
    /// The time at which the controls were last queried, by the host clock in nanoseconds.
    private var loadTime: Int64?

    private static let loadInterval: Int64 = 1_000_000_000

    init(_ camera: CameraArgument, _ device: CaptureDevice) {
        self.camera = camera
        self.device = device
    }

    var title: String { device.localizedName }

    var settings: [PanelSetting] {
        if loadTime.map({ HostClock.nanoseconds - $0 > Self.loadInterval }) ?? true { load() }
        return loaded
    }

    var argument: String {
        let changed = loaded.filter { $0.isSettable && $0.value != $0.defaultValue }
        guard !changed.isEmpty else { return "" }
        return camera.text(withControls: changed.map { ($0.name, $0.value) })
    }

    func set(_ value: Int, for name: String) {
        do throws(CaptureError) {
            try device.setControl(name, to: value)
        } catch {
            Console.note(error.description)
        }
        load()
    }

    private func load() {
        loadTime = HostClock.nanoseconds
        // An unplugged camera has no controls. The session reports that it is gone.
        loaded = ((try? device.loadControls()) ?? []).map(PanelSetting.init)
    }
}

extension PanelSetting {
    init(_ control: CaptureControl) {
        let kind: Kind =
            switch control.kind {
            case .integer(let range, let step): .number(range, step: step)
            case .boolean: .toggle
            case .menu(let names):
                .menu(
                    names.sorted { $0.key < $1.key }.map {
                        Choice(value: $0.key, label: $0.value)
                    })
            }
        let words = control.name.replacing("_", with: " ")
        self.init(
            name: control.name, label: words.prefix(1).uppercased() + words.dropFirst(), kind: kind,
            value: control.value, defaultValue: control.defaultValue,
            isSettable: control.isSettable)
    }
}
