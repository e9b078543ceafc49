// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import Testing

@testable import PlayheadFFmpeg

/// Media from other people's servers and proxies, on the loopback address.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct HTTPServerTests {
    private static let allFrames = Array(0..<StreamFixture.frameCount)
    private let fixture: StreamFixture
    private let folder = TemporaryFolder()

    init() throws { fixture = try AssetResourceLoaderTests.fixture.get() }

    private static var options: AssetOptions {
        var options = AssetOptions(variants: VariantPreference(followsThroughput: false))
        options.rules.verifiesCertificates = false
        return options
    }

    private func server() throws -> LoopbackServer {
        let fixture = fixture
        return try LoopbackServer { request in
            fixture.bytes(String(request.path.dropFirst())).map { .bytes($0) } ?? .status(404)
        }
    }

    /// Returns a port that is free now; another program could take it only in between.
    private func freePort() throws -> Int {
        let server = try LoopbackServer { _ in .silence }
        defer { server.stop() }
        return server.port
    }

    /// Plays a stream as soon as the server that was started accepts connections.
    private func frames(_ url: String, _ options: AssetOptions) throws -> [Int?] {
        try eventually("a server that takes connections") { () -> [Int?]? in
            do {
                return try StreamFixture.frames(
                    FFmpegOpener(AssetLocation(url), options: options))
            } catch let error as MediaError {
                guard error.cause.contains("does not accept connections") else { throw error }
                return nil
            }
        }
    }

    /// Starts nghttpx, a proxy that speaks HTTP/2 with clients.
    private func startFront(of server: LoopbackServer, at port: Int) throws -> ChildProcess {
        try ProcessRunner.check(
            [
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
                "/CN=localhost", "-keyout", "key.pem", "-out", "certificate.pem",
            ], directory: folder.url)
        return try ChildProcess(
            [
                "nghttpx", "--conf=/dev/null", "--frontend=127.0.0.1,\(port)",
                "--backend=127.0.0.1,\(server.port)", "--workers=1", "--no-ocsp",
                "--accesslog-file=\(folder.appending("log").path)",
                "--accesslog-format=$alpn $remote_port", "key.pem", "certificate.pem",
            ], directory: folder.url)
    }

    /// The protocol and the port of the client of each request to nghttpx.
    private var log: [String] {
        get throws {
            String(decoding: try Data(contentsOf: folder.appending("log")), as: UTF8.self)
                .split(separator: "\n").map(String.init)
        }
    }

    private static let hasFront = ProcessRunner.has("nghttpx") && ProcessRunner.has("openssl")

    @Test(.enabled(if: hasFront, "needs the commands nghttpx and openssl"))
    func `a stream plays by HTTP 2, and its requests share connections`() throws {
        let server = try server()
        let port = try freePort()
        let front = try startFront(of: server, at: port)
        defer { front.kill() }
        #expect(
            try frames("https://127.0.0.1:\(port)/all.m3u8", Self.options) == Self.allFrames)
        let log = try eventually("a log of all requests") { () -> [String]? in
            let lines = try self.log
            return lines.count == server.requests.count ? lines : nil
        }
        #expect(log.allSatisfy { $0.hasPrefix("h2 ") })
        #expect(Set(log).count < log.count)
    }

    @Test(.enabled(if: hasFront, "needs the commands nghttpx and openssl"))
    func `files that are read in turn by HTTP 2 do not hold up each other`() throws {
        let file = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 8) }
        let server = try LoopbackServer { _ in .bytes(file) }
        let port = try freePort()
        let front = try startFront(of: server, at: port)
        defer { front.kill() }
        let interrupt = Interrupt(cancellation: Cancellation(), options: Self.options)
        let loader = HTTPResourceLoader(options: Self.options, interrupt: interrupt)
        let address = try #require(HTTPAddress("https://127.0.0.1:\(port)/film"))
        let sources = try eventually("a server that takes connections") { () -> [HTTPDataSource]? in
            interrupt.begin()
            do throws(MediaError) {
                var sources = [try loader.openAsset(address)]
                for _ in 0..<2 { sources.append(try loader.openAsset(address)) }
                return sources
            } catch {
                guard error.cause.contains("does not accept connections") else { throw error }
                return nil
            }
        }
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 30_000, alignment: 16)
        defer { block.deallocate() }
        var read = [[UInt8]](repeating: [], count: sources.count)
        /// Reads on, up to a number of bytes, while the other files wait.
        func readOn(_ index: Int, upTo limit: Int) throws {
            while read[index].count < limit {
                interrupt.begin()
                let count = try sources[index].read(
                    into: block, at: Int64(read[index].count), isCancelled: { false })
                read[index] += block.prefix(count)
            }
        }
        for limit in [1 << 20, 5 << 20, file.count] {
            for index in sources.indices.reversed() { try readOn(index, upTo: limit) }
        }
        #expect(read.allSatisfy { $0 == file })
        // None was interrupted and requested again, and all share one connection.
        #expect(server.requests.count == sources.count)
        let log = try eventually("a log of all requests") { () -> [String]? in
            let lines = try self.log
            return lines.count == sources.count ? lines : nil
        }
        #expect(Set(log).count == 1)
    }

    /// Starts tinyproxy.
    private func startProxy(at port: Int) throws -> ChildProcess {
        let settings = """
            Port \(port)
            Listen 127.0.0.1
            Allow 127.0.0.1
            MaxClients 20
            LogFile "\(folder.appending("proxy").path)"
            """
        try Data(settings.utf8).write(to: folder.appending("proxy.conf"))
        return try ChildProcess(
            ["tinyproxy", "-d", "-c", folder.appending("proxy.conf").path], directory: folder.url)
    }

    @Test(.enabled(if: ProcessRunner.has("tinyproxy"), "needs the command tinyproxy"))
    func `a stream plays through a proxy that is asked for`() throws {
        let server = try server()
        let port = try freePort()
        let proxy = try startProxy(at: port)
        defer { proxy.kill() }
        var options = Self.options
        options.httpProxy = "http://127.0.0.1:\(port)"
        #expect(try frames(server.url("/all.m3u8"), options) == Self.allFrames)
        #expect(server.requests.allSatisfy { $0.fields["via"]?.contains("tinyproxy") == true })
        // The rules concern the hosts behind the proxy.
        options.rules.networkReach = .sameOrigin
        let other = try self.server()
        try fixture.write(
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(other.url("/large0.ts"))\n"
                + "#EXT-X-ENDLIST\n", to: "\(port).m3u8")
        #expect {
            _ = try StreamFixture.frames(
                FFmpegOpener(AssetLocation(server.url("/\(port).m3u8")), options: options))
        } throws: {
            ($0 as? MediaError)?.code == .notAllowed
        }
        #expect(other.connectionCount == 0)
    }

    @Test(
        .enabled(
            if: hasFront && ProcessRunner.has("tinyproxy"),
            "needs the commands nghttpx, openssl and tinyproxy"))
    func `a stream plays by HTTPS through a proxy`() throws {
        let server = try server()
        let ports = (front: try freePort(), proxy: try freePort())
        let front = try startFront(of: server, at: ports.front)
        defer { front.kill() }
        #expect(
            try frames("https://127.0.0.1:\(ports.front)/all.m3u8", Self.options)
                == Self.allFrames)
        let proxy = try startProxy(at: ports.proxy)
        defer { proxy.kill() }
        var options = Self.options
        options.httpProxy = "http://127.0.0.1:\(ports.proxy)"
        #expect(
            try frames("https://127.0.0.1:\(ports.front)/all.m3u8", options) == Self.allFrames)
        let log = String(
            decoding: try Data(contentsOf: folder.appending("proxy")), as: UTF8.self)
        #expect(log.contains("CONNECT 127.0.0.1:\(ports.front)"))
    }

    @Test(arguments: [
        ("http://127.0.0.1:PORT", "the proxy does not accept connections"),
        ("file:///etc/hostname", "the address of the proxy is not valid"),
        ("http://no-such-host.invalid:1", "the proxy is not found"),
    ])
    func `a proxy that cannot be used is an error`(_ proxy: String, _ cause: String) throws {
        let server = try server()
        var options = Self.options
        options.httpProxy = proxy.replacing("PORT", with: "\(try freePort())")
        #expect {
            _ = try FFmpegOpener(AssetLocation(server.url("/all.m3u8")), options: options)
                .openDemuxer(cancellation: Cancellation())
        } throws: {
            ($0 as? MediaError)?.cause == cause
        }
        #expect(server.connectionCount == 0)
    }
}
