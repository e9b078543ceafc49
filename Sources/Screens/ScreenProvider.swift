// SPDX-License-Identifier: Apache-2.0

import PlayheadCapturing
import PlayheadPlayback
import Synchronization

/// A provider of the screens or the windows of an X server. Each call queries the server; changes
/// are not observed.
///
/// - Concurrency: any thread.
final class ScreenProvider: CaptureDeviceProvider {
    /// The kind of devices that the provider lists.
    enum Kind {
        case screens, windows
    }

    private let kind: Kind
    private let known = Mutex<[String: (device: CaptureDevice, source: ScreenSource)]>([:])
    private let observers = EventObservers<Void>()

    /// The name of the X server; nil for the one in `DISPLAY`.
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
