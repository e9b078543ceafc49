// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
package import MediaTestSupport

/// A Wayland desktop without a screen: a session bus, and PipeWire with its session manager. The
/// user's session is not affected.
///
/// - Concurrency: any thread.
/// - Ownership: the programs end with the object.
package final class PrivateDesktop: Sendable {
    /// A Boolean value that indicates whether the programs are installed; for conditions of tests.
    package static let isAvailable =
        PrivateBus.isAvailable && ProcessRunner.has("pipewire") && ProcessRunner.has("wireplumber")
    package static let absence = "needs dbus-daemon, pipewire and wireplumber"

    package let bus: PrivateBus
    /// The socket of PipeWire.
    package let socket: String
    /// The variables of programs in this session.
    package let environment: [String: String]
    private let folder = TemporaryFolder()
    private let server: ChildProcess
    private let manager: ChildProcess

    /// Starts the programs, and waits until PipeWire listens.
    package init() throws {
        let bus = try PrivateBus()
        self.bus = bus
        let path = folder.url.path
        // Other users must not be able to write there.
        chmod(path, 0o700)
        environment = [
            "XDG_RUNTIME_DIR": path, "HOME": path, "DBUS_SESSION_BUS_ADDRESS": bus.address,
            "WAYLAND_DISPLAY": "wayland-none",
        ]
        let socket = folder.appending("pipewire-0").path
        self.socket = socket
        server = try ChildProcess(["pipewire"], environment: environment)
        try eventually("PipeWire to listen") { access(socket, F_OK) == 0 }
        manager = try ChildProcess(["wireplumber"], environment: environment)
    }

    deinit {
        manager.kill()
        server.kill()
    }

    /// Kills PipeWire, like a crash.
    package func killPipeWire() { server.kill() }

    /// Connects to PipeWire. Returns a descriptor that the caller has to close; -1 on failure.
    package func connect() -> Int32 {
        let descriptor = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            target.copyBytes(from: socket.utf8.prefix(target.count - 1))
        }
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if status == 0 { return descriptor }
        close(descriptor)
        return -1
    }
}
