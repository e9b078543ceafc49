// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Connections to hosts with several addresses. Most addresses of the loopback network have no
/// server, so they refuse connections.
@Suite struct ConnectionRaceTests {
    private static func addresses(_ texts: [String]) -> [HostResolver.Address] {
        texts.map { HostResolver.Address(text: $0, space: .loopback) }
    }

    private func race(
        port: Int, seconds: Int64 = 3600, _ cancellation: Cancellation = Cancellation()
    ) -> ConnectionRace {
        var options = AssetOptions()
        options.openingTimeout = MediaTime(value: seconds, timescale: 1)
        let interrupt = Interrupt(cancellation: cancellation, options: options)
        interrupt.begin(opens: true)
        return ConnectionRace(port: port, subject: "film", interrupt: interrupt)
    }

    @Test(arguments: [
        ["127.0.0.2", "127.0.0.1"], ["127.0.0.3", "127.0.0.1"],
        ["127.0.0.2", "127.0.0.3", "127.0.0.1"], ["127.0.0.1", "127.0.0.2"], ["127.0.0.1"],
    ])
    func `an address that does not answer, or refuses, does not keep the next one from being used`(
        texts: [String]
    ) throws {
        let server = try LoopbackServer { _ in .bytes([7]) }
        defer { server.stop() }
        let silent = try SilentPort(port: server.port)
        defer { withExtendedLifetime(silent) {} }
        let (connection, address) = try race(port: server.port)
            .connect(to: Self.addresses(texts))
        #expect(address.text == "127.0.0.1" && connection.serverAddress == "127.0.0.1")
        // The end of the other attempts does not concern the connection.
        try connection.send("GET / HTTP/1.1\r\nHost: film\r\n\r\n")
        #expect(try connection.readLine(limit: 100).hasPrefix("HTTP/1.1"))
    }

    @Test func `if no address can be used, the error is that of the last attempt`() throws {
        let server = try LoopbackServer { _ in .bytes([7]) }
        defer { server.stop() }
        #expect {
            _ = try race(port: server.port).connect(to: Self.addresses(["127.0.0.3", "127.0.0.4"]))
        } throws: {
            ($0 as? MediaError)?.cause == "the server does not accept connections"
        }
    }

    @Test func `addresses that do not answer are a timeout`() throws {
        let server = try LoopbackServer { _ in .bytes([7]) }
        defer { server.stop() }
        let silent = try (2...3).map {
            try SilentPort(host: 0x7F00_0000 + UInt32($0), port: server.port)
        }
        defer { withExtendedLifetime(silent) {} }
        #expect {
            _ = try race(port: server.port, seconds: 1)
                .connect(to: Self.addresses(["127.0.0.2", "127.0.0.3"]))
        } throws: {
            ($0 as? MediaError)?.code == .timedOut
        }
    }

    @Test func `a cancellation ends all attempts`() throws {
        let server = try LoopbackServer { _ in .bytes([7]) }
        defer { server.stop() }
        let silent = try (2...3).map {
            try SilentPort(host: 0x7F00_0000 + UInt32($0), port: server.port)
        }
        defer { withExtendedLifetime(silent) {} }
        let cancellation = Cancellation.afterChecks(50)
        #expect {
            _ = try race(port: server.port, cancellation)
                .connect(to: Self.addresses(["127.0.0.2", "127.0.0.3"]))
        } throws: {
            ($0 as? MediaError)?.code == .cancelled
        }
    }

    @Test func `the families of addresses alternate, the preferred one first`() {
        func order(_ texts: [String]) -> [String] {
            ConnectionRace.alternating(Self.addresses(texts)).map(\.text)
        }
        #expect(
            order(["[::1]", "[::2]", "[::3]", "a", "b"]) == ["[::1]", "a", "[::2]", "b", "[::3]"])
        #expect(order(["a", "b", "[::1]"]) == ["a", "[::1]", "b"])
        #expect(order(["a", "b"]) == ["a", "b"] && order(["[::1]"]) == ["[::1]"])
    }
}
