// SPDX-License-Identifier: Apache-2.0

import PlayheadCapturing
import PlayheadPlayback
import Synchronization

/// The screens or the windows of an X server. Each call looks; changes are not observed.
///
/// - Concurrency: any thread.
final class ScreenProvider: CaptureDeviceProvider {
    /// The devices that a list has.
    enum Kind {
        case screens, windows
    }

    private let kind: Kind
    private let known = Mutex<[String: (device: CaptureDevice, source: ScreenSource)]>([:])
    private let observers = EventObservers<Void>()

    /// The X server; nil for that of the environment.
    private let display: String?

    init(_ kind: Kind, display: String? = nil) {
        self.kind = kind
        self.display = display
    }

    func loadDevices() -> [CaptureDevice] {
        guard let connection = try? XConnection(display: display) else { return [] }
        let sources =
            switch kind {
            case .screens:
                XMonitor.all(connection).map {
                    ScreenSource(
                        .monitor($0.name, part: nil), name: $0.name, showsCursor: true,
                        display: display)
                }
            case .windows:
                XWindow.all(connection).map {
                    ScreenSource(
                        .window($0.identifier), name: $0.title, showsCursor: false,
                        display: display)
                }
            }
        return known.withLock { known in
            sources.map { source in
                if let entry = known[source.uniqueID],
                    entry.device.localizedName == source.localizedName
                {
                    entry.source.noteReturn()
                    return entry.device
                }
                let device = CaptureDevice(source)
                known[source.uniqueID] = (device, source)
                return device
            }
        }
    }

    func observe(_ handler: @escaping @Sendable () -> Void) -> ObservationToken {
        observers.observe { handler() }
    }
}
