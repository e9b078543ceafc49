// SPDX-License-Identifier: Apache-2.0

import CPlayheadV4L2
import Glibc
package import PlayheadAssets
package import PlayheadCapturing
package import PlayheadPlayback
import PlayheadThreads
import Synchronization

/// The cameras of Video for Linux.
///
/// Devices are found by their nodes in the file system, which inotify watches. A node appears
/// before its access rights are set; setting the rights is a separate event.
///
/// - Concurrency: any thread.
/// - Ownership: a thread runs while the list or a device is in use, and ends with the provider.
package final class V4L2CameraProvider: CaptureDeviceProvider {
    private struct Entry {
        var device: CaptureDevice
        var camera: V4L2Camera
        /// The number of its node. Devices are in the order of these numbers.
        var number: Int
        var isPresent: Bool
    }

    private struct State {
        var entries: [String: Entry] = [:]
    }

    /// A node that was found in the folder.
    private struct Found {
        var number: Int
        var path: String
        var identifier: String
        var name: String
    }

    private let folder: String
    private let decoding: any SampleDecoding
    private let state = Mutex(State())
    private let observers = EventObservers<Void>()
    /// Held during a scan, so that only one runs at a time.
    private let turn = Mutex(())
    private let watch = Mutex<V4L2Watch?>(nil)

    /// Creates a provider of the cameras whose nodes are in a folder.
    package init(folder: String = "/dev", decoding: any SampleDecoding) {
        self.folder = folder
        self.decoding = decoding
    }

    deinit { watch.withLock { $0 }?.stop() }

    package func loadDevices() -> [CaptureDevice] {
        beginWatching()
        look(mayHaveRights: false)
        return state.withLock { state in
            state.entries.values.filter(\.isPresent).sorted { $0.number < $1.number }.map(\.device)
        }
    }

    package func observe(_ handler: @escaping @Sendable () -> Void) -> ObservationToken {
        // Devices that are connected already are not reported as changes.
        _ = loadDevices()
        return observers.observe { handler() }
    }

    private func beginWatching() {
        watch.withLock { watch in
            guard watch == nil else { return }
            watch = V4L2Watch(folder) { [weak self] in self?.look(mayHaveRights: true) }
        }
    }

    // MARK: - Looking

    /// Compares the nodes with the known devices.
    ///
    /// - Parameter mayHaveRights: A Boolean value that indicates whether connected devices may have
    ///   become usable, so that sessions try again.
    private func look(mayHaveRights: Bool) {
        turn.withLock { _ in
            let found = find()
            let (changed, same) = state.withLock { state in
                var changed: [(CaptureDevice, Bool)] = []
                var same: [CaptureDevice] = []
                for node in found {
                    if let entry = state.entries[node.identifier] {
                        entry.camera.path = node.path
                        state.entries[node.identifier]?.number = node.number
                        state.entries[node.identifier]?.isPresent = true
                        if entry.isPresent {
                            same.append(entry.device)
                        } else {
                            changed.append((entry.device, true))
                        }
                        continue
                    }
                    let camera = V4L2Camera(
                        uniqueID: node.identifier, name: node.name, node: node.path,
                        decoding: decoding)
                    let device = CaptureDevice(camera)
                    state.entries[node.identifier] = Entry(
                        device: device, camera: camera, number: node.number, isPresent: true)
                    changed.append((device, true))
                }
                let identifiers = Set(found.map(\.identifier))
                for (identifier, entry) in state.entries
                where entry.isPresent && !identifiers.contains(identifier) {
                    state.entries[identifier]?.isPresent = false
                    changed.append((entry.device, false))
                }
                return (changed, same)
            }
            for (device, isPresent) in changed { device.setConnected(isPresent) }
            if mayHaveRights { for device in same { device.announceConnection() } }
            if !changed.isEmpty { observers.post(()) }
        }
    }

    /// Returns the cameras among the nodes of the folder.
    private func find() -> [Found] {
        var found: [Found] = []
        var places: [String: Int] = [:]
        let links = links()
        for number in nodeNumbers() {
            let path = "\(folder)/video\(number)"
            var (name, bus) = ("video\(number)", path)
            do throws(CaptureError) {
                let identity = try V4L2Identity(of: V4L2Device(path, name: name))
                guard identity.isCamera else { continue }
                (name, bus) = (identity.name, identity.bus)
            } catch {
                // A device that may not be opened is still listed: every user may read its driver's
                // name.
                guard error.code == .notAuthorized || error.code == .deviceInUse else { continue }
                name = publicName(number) ?? name
            }
            let place = places[bus, default: 0]
            places[bus] = place + 1
            let identifier = links["video\(number)"] ?? (place == 0 ? bus : "\(bus)#\(place)")
            found.append(
                Found(number: number, path: path, identifier: "v4l2:\(identifier)", name: name))
        }
        return found
    }

    private func nodeNumbers() -> [Int] {
        V4L2Files.names(in: folder).compactMap { name in
            name.hasPrefix("video") ? Int(name.dropFirst("video".count)) : nil
        }.sorted()
    }

    /// Returns the permanent names that udev gives to devices, by node. They contain the
    /// manufacturer and the serial number.
    private func links() -> [String: String] {
        var links: [String: String] = [:]
        let place = "\(folder)/v4l/by-id"
        for name in V4L2Files.names(in: place).sorted() {
            guard let text = V4L2Files.target(of: "\(place)/\(name)") else { continue }
            if let node = text.split(separator: "/").last { links[String(node)] = name }
        }
        return links
    }

    /// Returns the driver's name for a node, which every user may read.
    private func publicName(_ number: Int) -> String? {
        guard folder == "/dev" else { return nil }
        return V4L2Files.line(of: "/sys/class/video4linux/video\(number)/name")
    }
}
