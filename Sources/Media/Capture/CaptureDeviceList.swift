// SPDX-License-Identifier: Apache-2.0

package import PlayheadPlayback
import Synchronization

/// The devices that a provider has found. A device that is connected again is represented by the
/// same object as before.
///
/// - Concurrency: any thread; the closures are called by one caller of `look` at a time.
package final class CaptureDeviceList<Backend: CaptureDeviceBackend>: Sendable {
    private struct Entry {
        var device: CaptureDevice
        var backend: Backend
        var place: Int
        var isPresent: Bool
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let observers = EventObservers<Void>()
    /// The lock that is held during a search, so that only one search runs at a time.
    private let turn = Mutex(())

    package init() {}

    /// The connected devices, in the order in which they were found.
    package var devices: [CaptureDevice] {
        entries.withLock { entries in
            entries.values.filter(\.isPresent).sorted { $0.place < $1.place }.map(\.device)
        }
    }

    /// Calls a handler whenever a device is connected or disconnected.
    package func observe(_ handler: @escaping @Sendable () -> Void) -> ObservationToken {
        observers.observe { handler() }
    }

    /// Searches for devices, and compares them with the known ones.
    ///
    /// - Parameters:
    ///   - mayHaveReturned: A Boolean value that indicates whether connected devices may have
    ///     become usable, so that sessions try again.
    ///   - find: A function that returns the connected devices with their identifiers.
    ///   - make: A function that creates the driver's side of a device that was not known.
    ///   - update: A function that passes the current description to a known device, or nil if the
    ///     device was disconnected.
    package func look<Found>(
        mayHaveReturned: Bool, find: () -> [(identifier: String, device: Found)],
        make: (Found) -> Backend, update: (Backend, Found?) -> Void
    ) {
        turn.withLock { _ in
            let found = find()
            let (changed, same) = entries.withLock { entries in
                var changed: [(CaptureDevice, Bool)] = []
                var same: [CaptureDevice] = []
                for (place, (identifier, description)) in found.enumerated() {
                    if let entry = entries[identifier] {
                        update(entry.backend, description)
                        entries[identifier]?.place = place
                        entries[identifier]?.isPresent = true
                        if entry.isPresent {
                            same.append(entry.device)
                        } else {
                            changed.append((entry.device, true))
                        }
                        continue
                    }
                    let backend = make(description)
                    let device = CaptureDevice(backend)
                    entries[identifier] = Entry(
                        device: device, backend: backend, place: place, isPresent: true)
                    changed.append((device, true))
                }
                let identifiers = Set(found.map(\.identifier))
                for (identifier, entry) in entries
                where entry.isPresent && !identifiers.contains(identifier) {
                    entries[identifier]?.isPresent = false
                    update(entry.backend, nil)
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
