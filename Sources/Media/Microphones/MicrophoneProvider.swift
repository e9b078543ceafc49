// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
package import PlayheadCapturing
package import PlayheadPlayback
import PlayheadPulse
import Synchronization

/// The recording devices of an audio server.
///
/// A server that ends takes its devices with it. They are the same objects when it is back.
///
/// - Concurrency: any thread.
/// - Ownership: a thread runs while the list or a device is in use, and ends with the provider.
package final class MicrophoneProvider: CaptureDeviceProvider {
    private struct Entry {
        var device: CaptureDevice
        var microphone: Microphone
        var place: Int
        var isPresent: Bool
    }

    private let server: String?
    private let entries = Mutex<[String: Entry]>([:])
    private let observers = EventObservers<Void>()
    /// One look at a time.
    private let turn = Mutex(())
    private let watch = Mutex<PulseSourceWatch?>(nil)

    /// Creates a provider of a server's devices; nil for the server of the environment.
    package init(server: String? = nil) { self.server = server }

    deinit { watch.withLock { $0 }?.stop() }

    package func loadDevices() -> [CaptureDevice] {
        beginWatching()
        look(mayHaveReturned: false)
        return entries.withLock { entries in
            entries.values.filter(\.isPresent).sorted { $0.place < $1.place }.map(\.device)
        }
    }

    package func observe(_ handler: @escaping @Sendable () -> Void) -> ObservationToken {
        // Devices that are there already are no change.
        _ = loadDevices()
        return observers.observe { handler() }
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
    /// - Parameter mayHaveReturned: A Boolean value that indicates whether devices that are there
    ///   may have become usable, so that sessions try again.
    private func look(mayHaveReturned: Bool) {
        turn.withLock { _ in
            let sources = (try? PulseSource.all(server: server)) ?? []
            let (changed, same) = entries.withLock { entries in
                var changed: [(CaptureDevice, Bool)] = []
                var same: [CaptureDevice] = []
                for (place, source) in sources.enumerated() {
                    if let entry = entries[source.name] {
                        entry.microphone.update(source)
                        entries[source.name]?.place = place
                        entries[source.name]?.isPresent = true
                        if entry.isPresent {
                            same.append(entry.device)
                        } else {
                            changed.append((entry.device, true))
                        }
                        continue
                    }
                    let microphone = Microphone(source, server: server)
                    let device = CaptureDevice(microphone)
                    entries[source.name] = Entry(
                        device: device, microphone: microphone, place: place, isPresent: true)
                    changed.append((device, true))
                }
                let names = Set(sources.map(\.name))
                for (name, entry) in entries where entry.isPresent && !names.contains(name) {
                    entries[name]?.isPresent = false
                    entry.microphone.update(nil)
                    changed.append((entry.device, false))
                }
                return (changed, same)
            }
            for (device, isPresent) in changed { device.setConnected(isPresent) }
            if mayHaveReturned { for device in same { device.announceConnection() } }
            if !changed.isEmpty { observers.post(()) }
        }
    }
}
