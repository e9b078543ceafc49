// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import PlayheadThreads

/// A compositor of Wayland that names the objects which it has, and ignores every request to use
/// one.
///
/// - Concurrency: any thread.
/// - Ownership: its socket and its thread end with the object.
public final class CompositorDouble: Sendable {
    /// The path of its socket, which `WAYLAND_DISPLAY` accepts.
    public let path: String

    /// The interfaces of a desktop's compositor that programs of this project use.
    public static let desktop = [
        "wl_compositor", "wl_subcompositor", "wl_shm", "wl_output", "wl_data_device_manager",
        "xdg_wm_base", "wl_seat", "zxdg_decoration_manager_v1",
    ]

    private struct State {
        var client: LoopbackSocket?
        var isEnding = false
    }

    private let folder = TemporaryFolder()
    private let listener: LoopbackSocket
    private let state = Monitor(State())
    private let thread: WorkerThread

    /// Starts to listen.
    ///
    /// - Parameter interfaces: The names of the objects that it has, each in version 1.
    public init(_ interfaces: [String] = desktop) throws(LoopbackServer.Failure) {
        let path = folder.appending("wayland").path
        self.path = path
        let descriptor = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            target.copyBytes(from: path.utf8.prefix(target.count - 1))
        }
        let bound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard descriptor >= 0, bound == 0, Glibc.listen(descriptor, 8) == 0 else {
            throw LoopbackServer.Failure(reason: "no socket \(path): \(errno)")
        }
        let listener = LoopbackSocket(descriptor: descriptor)
        self.listener = listener
        let state = self.state
        thread = WorkerThread(name: "test-wayland") {
            while let client = listener.accept() {
                let isEnding = state.change { state in
                    state.client = client
                    return state.isEnding
                }
                if !isEnding { Self.serve(client, interfaces) }
                state.change { $0.client = nil }
                client.close()
            }
        }
    }

    deinit {
        state.change { state in
            state.isEnding = true
            state.client?.shutdown()
        }
        listener.shutdown()
        thread.join()
        listener.close()
    }

    /// Answers requests until the client disconnects. Numbers have the byte order of the machine.
    private static func serve(_ client: LoopbackSocket, _ interfaces: [String]) {
        while let head = client.read(8) {
            let (object, word) = (number(head[..<4]), number(head[4...]))
            guard let body = client.read(max(Int(word >> 16) - 8, 0)) else { return }
            // Only the display answers: to `sync` and `get_registry`, each with the number of a new
            // object.
            guard object == 1, body.count >= 4 else { continue }
            let new = number(body[..<4])
            if word & 0xFFFF == 0 {
                client.send(message(to: new, 0, bytes(0)))
                client.send(message(to: 1, 1, bytes(new)))
            } else {
                for (index, name) in interfaces.enumerated() {
                    var text = Array(name.utf8) + [0]
                    let length = UInt32(text.count)
                    while text.count % 4 != 0 { text.append(0) }
                    let arguments = bytes(UInt32(index + 1)) + bytes(length) + text + bytes(1)
                    client.send(message(to: new, 0, arguments))
                }
            }
        }
    }

    private static func message(to object: UInt32, _ code: UInt32, _ body: [UInt8]) -> [UInt8] {
        bytes(object) + bytes(UInt32(body.count + 8) << 16 | code) + body
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }
}
