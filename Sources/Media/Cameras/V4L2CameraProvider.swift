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
    /// A node that was found in the folder.
    private struct Found {
        var path: String
        var identifier: String
        var name: String
    }

    private let folder: String
    private let decoding: any SampleDecoding
    private let list = CaptureDeviceList<V4L2Camera>()
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
            watch = V4L2Watch(folder) { [weak self] in self?.look(mayHaveRights: true) }
        }
    }

    // MARK: - Looking

    /// Compares the nodes with the known devices.
    ///
    /// - Parameter mayHaveRights: A Boolean value that indicates whether connected devices may have
    ///   become usable, so that sessions try again.
    private func look(mayHaveRights: Bool) {
        list.look(
            mayHaveReturned: mayHaveRights,
            find: { find().map { ($0.identifier, $0) } },
            make: { node in
                V4L2Camera(
                    uniqueID: node.identifier, name: node.name, node: node.path,
                    decoding: decoding)
            },
            update: { camera, node in if let node { camera.path = node.path } })
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
                Found(path: path, identifier: "v4l2:\(identifier)", name: name))
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

    /// Returns the driver's name for a node. Every user may read this name.
    private func publicName(_ number: Int) -> String? {
        guard folder == "/dev" else { return nil }
        return V4L2Files.line(of: "/sys/class/video4linux/video\(number)/name")
    }
}
