// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadCapturing
import PlayheadPlayback
import Synchronization

/// A provider of the screens or the windows of an X server, or in a Wayland session, of the one
/// device that lets the user select. Each call queries the server; changes are not observed.
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
    private let selection: CaptureDevice

    init(_ kind: Kind, display: String? = nil) {
        self.kind = kind
        self.display = display
        selection = CaptureDevice(PortalSource(kind == .screens ? .screen : .window))
    }

    /// A Boolean value that indicates whether this is a session of Wayland, where an X server sees
    /// only the windows of its own clients.
    private static var isWayland: Bool {
        getenv("WAYLAND_DISPLAY").map { $0.pointee != 0 } ?? false
    }

    func loadDevices() -> [CaptureDevice] {
        if display == nil, Self.isWayland { return [selection] }
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
