// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
package import PlayheadCapturing
package import PlayheadPlayback
import PlayheadPulse
import Synchronization

/// The recording devices of an audio server.
///
/// If the server ends, its devices are disconnected. After it restarts, the same objects represent
/// them.
///
/// - Concurrency: any thread.
/// - Ownership: a thread runs while the list or a device is in use, and ends with the provider.
package final class MicrophoneProvider: CaptureDeviceProvider {
    private let server: String?
    private let list = CaptureDeviceList<Microphone>()
    private let watch = Mutex<PulseSourceWatch?>(nil)

    /// Creates a provider of a server's devices; nil for the server of the environment.
    package init(server: String? = nil) { self.server = server }

    deinit { watch.withLock { $0 }?.stop() }

    package func loadDevices() -> [CaptureDevice] {
        beginWatching()
        look(mayHaveReturned: false)
        return list.devices
    }

    package func observe(_ handler: @escaping @Sendable () -> Void) -> ObservationToken {
        // Devices that are connected already are not reported as changes.
        _ = loadDevices()
        return list.observe(handler)
    }

    private func beginWatching() {
        watch.withLock { watch in
            guard watch == nil else { return }
            watch = PulseSourceWatch(server: server) { [weak self] in
                self?.look(mayHaveReturned: true)
            }
        }
    }

    /// Compares the server's list with the known devices.
    ///
    /// - Parameter mayHaveReturned: A Boolean value that indicates whether connected devices may
    ///   have become usable, so that sessions try again.
    private func look(mayHaveReturned: Bool) {
        list.look(
            mayHaveReturned: mayHaveReturned,
            find: {
                ((try? PulseSource.all(server: server)) ?? []).map { ($0.name, $0) }
            },
            make: { Microphone($0, server: server) }, update: { $0.update($1) })
    }
}
