// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MediaTestSupport
import PlayheadCommands
import PlayheadThreads
import Testing

@testable import PlayheadDesktop

/// Clients that connect, leave, send garbage or do not read.
extension ControlServerTests {
    @Test func `only the user may connect, and what is left behind is replaced`() async throws {
        let server = try await server()
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(throws: ControlSocketError.self) {
            try ControlServer(path: path, controller: controller)
        }
        // A killed program leaves a socket without a listener.
        let left = folder.appending("left").path
        do {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: left.utf8) }
            _ = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            close(descriptor)
        }
        let other = try ControlServer(path: left, controller: controller)
        other.close()
        #expect(!FileManager.default.fileExists(atPath: left))
        let file = folder.appending("file")
        try Data("mine".utf8).write(to: file)
        #expect(throws: ControlSocketError.self) {
            try ControlServer(path: file.path, controller: controller)
        }
        #expect(FileManager.default.fileExists(atPath: file.path))
        server.close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(.timeLimit(.minutes(20)))
    func `the end does not wait for a client that has sent more than is performed`() async throws {
        let server = try await server()
        let client = try ControlClient(path)
        _ = try await ask(client, #"{"command":["client_name"]}"#)
        // None of it is performed, since this is the thread that would do so. Once everything has
        // been read, the socket's thread is blocked.
        client.send(
            [UInt8](repeating: 10, count: 4)
                + Array(repeating: "ignore\n", count: 2000).joined().utf8)
        while client.unreadCount > 0 { sched_yield() }
        server.close()
    }

    @Test func `too many clients are refused until one disconnects`() async throws {
        let server = try await server()
        defer { server.close() }
        let question = #"{"command":["get_version"]}"#
        var clients: [ControlClient] = []
        for _ in 0..<ControlSocket.maximumClients {
            let client = try ControlClient(path)
            #expect(try await ask(client, question).contains("test"))
            clients.append(client)
        }
        // More than the queue of waiting programs holds.
        for _ in 0..<100 {
            let path = path
            #expect(try await onThread { try ControlClient(path).line() } == nil)
        }
        clients.removeLast()
        var answer = ""
        while answer.isEmpty { answer = try await ask(try ControlClient(path), question) }
        #expect(answer.contains("test"))
        withExtendedLifetime(clients) {}
    }

    @Test func `garbage of any kind does no harm`() async throws {
        let server = try await server()
        defer { server.close() }
        let path = path
        try await onThread {
            var random = SplitMix64(seed: 3)
            let seeds = [
                #"{"command":["set_property","volume",50],"request_id":1}"#,
                #"{"command":["observe_property",1,"time-pos"]}"#, "seek 5; set speed 1",
            ].map { Array($0.utf8) }
            for round in 0..<60 {
                let client = try ControlClient(path)
                for _ in 0..<8 {
                    var bytes = seeds[round % seeds.count]
                    for _ in 0..<Int.random(in: 0...12, using: &random) {
                        let place = Int.random(in: 0..<bytes.count, using: &random)
                        bytes[place] = UInt8.random(in: 0...255, using: &random)
                    }
                    client.send(bytes + [10])
                }
                // Thousands of brackets, an endless line, a truncated one.
                switch round % 3 {
                case 0: client.send([UInt8](repeating: 0x5B, count: 30_000) + [10])
                case 1: client.send([UInt8](repeating: 0x41, count: 100_000))
                default: client.send(Array(#"{"command":["#.utf8))
                }
            }
        }
        let client = try ControlClient(path)
        #expect(
            try await ask(client, #"{"command":["get_version"]}"#)
                == #"{"data":"test","error":"success","request_id":0}"#)
    }

    @Test func `a client that does not read is disconnected and delays no others`() async throws {
        let server = try await server()
        defer { server.close() }
        let deaf = try ControlClient(path)
        let path = path
        try await onThread {
            // Answers name wrong values, so they exceed the buffers of the socket and the server.
            let value = String(repeating: "x", count: 30_000)
            let request = Array(#"{"command":["set_property","volume","\#(value)"]}"#.utf8) + [10]
            for _ in 0..<100 { deaf.send(request) }
        }
        let client = try await onThread { try ControlClient(path) }
        #expect(try await ask(client, #"{"command":["get_version"]}"#).contains("success"))
    }
}
