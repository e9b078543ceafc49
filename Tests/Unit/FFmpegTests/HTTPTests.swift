// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadFFmpeg

/// Requests over HTTP: connections that are used again, compression, cookies, passwords, and the
/// rules that each socket must pass.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct HTTPTests {
    /// Without timing the network, which other programs on the machine would affect.
    private static let options = AssetOptions(
        variants: VariantPreference(followsThroughput: false))
    private static let allFrames = Array(0..<StreamFixture.frameCount)

    private let fixture: StreamFixture

    init() throws { fixture = try AssetResourceLoaderTests.fixture.get() }

    private func opener(
        _ url: String, _ options: AssetOptions = HTTPTests.options
    ) -> FFmpegOpener {
        FFmpegOpener(AssetLocation(url), options: options)
    }

    private func loader(
        _ options: AssetOptions = HTTPTests.options, _ cancellation: Cancellation = Cancellation()
    ) -> HTTPResourceLoader {
        let interrupt = Interrupt(cancellation: cancellation, options: options)
        interrupt.begin(opens: true)
        return HTTPResourceLoader(options: options, interrupt: interrupt)
    }

    private func address(_ url: String) throws -> HTTPAddress { try #require(HTTPAddress(url)) }

    private func failure(_ body: () throws -> Void) -> MediaError? {
        do {
            try body()
            return nil
        } catch {
            return error as? MediaError
        }
    }

    /// Returns the files of the fixture, after those that are given.
    private static func response(
        _ request: LoopbackServer.Request, _ fixture: StreamFixture
    ) -> LoopbackServer.Response {
        fixture.bytes(String(request.path.dropFirst())).map { .bytes($0) } ?? .status(404)
    }

    private static func raw(
        _ status: String, _ fields: [String], _ body: [UInt8] = []
    ) -> LoopbackServer.Response {
        let lines =
            ["HTTP/1.1 \(status)"] + fields
            + ["Content-Length: \(body.count)", "Connection: close", "", ""]
        return .raw(Array(lines.joined(separator: "\r\n").utf8) + body)
    }

    // MARK: - Connections

    @Test func `requests to one server use one connection`() throws {
        let fixture = fixture
        let server = try LoopbackServer(keepsConnections: true) { Self.response($0, fixture) }
        let loader = loader()
        for name in ["all.m3u8", "large.m3u8", "large0.ts", "large1.ts"] {
            let source = try loader.openAsset(address(server.url("/" + name)))
            #expect(try source.bytes(upTo: 1 << 24, isCancelled: { false }) == fixture.bytes(name))
        }
        #expect(server.requests.count == 4)
        #expect(server.connectionCount == 1)
    }

    @Test func `a stream plays over fewer connections than requests`() throws {
        let fixture = fixture
        let server = try LoopbackServer(keepsConnections: true) { Self.response($0, fixture) }
        #expect(try StreamFixture.frames(opener(server.url("/all.m3u8"))) == Self.allFrames)
        #expect(server.connectionCount < server.requests.count)
    }

    @Test func `files that are read in turn do not hold up each other`() throws {
        let file = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 8) }
        let server = try LoopbackServer(keepsConnections: true) { _ in .bytes(file) }
        let loader = loader()
        let sources = try (0..<3).map { _ in try loader.openAsset(address(server.url("/a"))) }
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 3000, alignment: 16)
        defer { block.deallocate() }
        var read = [[UInt8]](repeating: [], count: 3)
        while read.contains(where: { $0.count < file.count }) {
            for (index, source) in sources.enumerated() {
                let count = try source.read(
                    into: block, at: Int64(read[index].count), isCancelled: { false })
                read[index] += block.prefix(count)
            }
        }
        #expect(read.allSatisfy { $0 == file })
    }

    @Test func `the next address of a host is used if one refuses`() throws {
        let server = try LoopbackServer { _ in .bytes([7]) }
        let connections = try connections()
        var request = HTTPRequest(for: try address("http://film.test/"), from: 0, to: nil)
        request.url = "http://film.test:\(server.port)/"
        request.resolution = "+film.test:\(server.port):127.0.0.3,127.0.0.1"
        var tried: [NetworkSpace] = []
        let exchange = try HTTPExchange(request, subject: "film", connections: connections) {
            tried.append($0)
            return nil
        }
        try exchange.waitForHead()
        #expect(exchange.response.status == 206)
        #expect(exchange.peerAddress == "127.0.0.1")
        #expect(tried == [.loopback, .loopback])
    }

    @Test func `the host of an early request that has failed is resolved again`() throws {
        let server = try LoopbackServer { _ in .bytes([7]) }
        let interrupt = Interrupt(cancellation: Cancellation(), options: Self.options)
        interrupt.begin(opens: true)
        // The first address has no server.
        var answers = ["127.0.0.3", "127.0.0.1"]
        let loader = HTTPResourceLoader(options: Self.options, interrupt: interrupt) {
            (_, _, _) throws(MediaError) in
            let text = answers.count > 1 ? answers.removeFirst() : answers[0]
            return [HostResolver.Address(text: text, space: .loopback)]
        }
        let address = try address("http://film.test:\(server.port)/part")
        let early = try loader.requestChild(address, from: 0, to: nil)
        let source = try loader.openChild(address, from: 0, to: nil, early: early)
        #expect(try source.bytes(upTo: 16, isCancelled: { false }) == [7])
    }

    // MARK: - Rules

    private func connections(
        _ cancellation: Cancellation = Cancellation()
    ) throws -> HTTPConnections {
        var options = AssetOptions()
        options.openingTimeout = MediaTime(value: 3600, timescale: 1)
        let interrupt = Interrupt(cancellation: cancellation, options: options)
        interrupt.begin(opens: true)
        return try HTTPConnections(interrupt: interrupt, subject: "film")
    }

    /// A name server that changes its answer cannot evade the rules: they concern the address of
    /// the socket.
    @Test func `the address of each socket passes the rules before it is connected`() throws {
        let server = try LoopbackServer { _ in .bytes([7]) }
        let connections = try connections()
        var request = HTTPRequest(for: try address("http://localhost/"), from: 0, to: nil)
        request.url = "http://localhost:\(server.port)/"
        let refusal = MediaError(.notAllowed, subject: "film", cause: "it is private")
        let error = failure {
            try HTTPExchange(request, subject: "film", connections: connections) {
                $0 == .loopback ? refusal : nil
            }.waitForHead()
        }
        #expect(error?.code == .notAllowed && error?.cause == "it is private")
        #expect(server.connectionCount == 0)
    }

    @Test func `an open connection that the rules no longer allow is not used`() throws {
        let server = try LoopbackServer(keepsConnections: true) { _ in .bytes([7]) }
        let connections = try connections()
        var request = HTTPRequest(for: try address("http://localhost/"), from: 0, to: nil)
        request.url = "http://127.0.0.1:\(server.port)/"
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 16)
        defer { block.deallocate() }
        func send(_ refusal: MediaError?) throws {
            let exchange = try HTTPExchange(request, subject: "film", connections: connections) {
                _ in refusal
            }
            while try exchange.read(into: block) > 0 {}
        }
        try send(nil)
        let refusal = MediaError(.notAllowed, subject: "film", cause: "it is private")
        // An open connection does not ask again.
        try send(refusal)
        request.needsNewConnection = true
        let error = failure { try send(refusal) }
        #expect(error?.code == .notAllowed)
        #expect(server.requests.count == 2 && server.connectionCount == 1)
    }

    @Test func `header fields that end a line are refused`() throws {
        let server = try LoopbackServer { _ in .bytes([7]) }
        var options = Self.options
        for (name, value) in [("A", "b\r\nC: d"), ("A\r\nB", "c"), ("", "b"), ("A:", "b")] {
            options.httpHeaderFields = [name: value]
            let error = failure { _ = try loader(options).openAsset(address(server.url("/"))) }
            #expect(error?.cause.contains("is not valid") == true)
        }
        #expect(server.requests.isEmpty)
    }

    // MARK: - Compression

    private func compressed(_ bytes: [UInt8]) throws -> [UInt8] {
        let folder = TemporaryFolder()
        try Data(bytes).write(to: folder.appending("file"))
        return try ProcessRunner.check(["gzip", "-c", folder.appending("file").path])
            .standardOutput
    }

    @Test(.enabled(if: ProcessRunner.has("gzip"), "needs the gzip command"))
    func `playlists are requested compressed, and media is not`() throws {
        let fixture = fixture
        let list = try compressed(try #require(fixture.bytes("large.m3u8")))
        let server = try LoopbackServer { request in
            request.path == "/large.m3u8"
                ? Self.raw("200 OK", ["Content-Encoding: gzip"], list)
                : Self.response(request, fixture)
        }
        let demuxer = try opener(server.url("/large.m3u8")).openDemuxer(
            cancellation: Cancellation())
        while try demuxer.readPacket() != nil {}
        for request in server.requests {
            let encodings = try #require(request.fields["accept-encoding"])
            #expect(encodings.contains("gzip") == request.path.hasSuffix(".m3u8"))
            #expect((request.range == nil) == request.path.hasSuffix(".m3u8"))
        }
        // The log has the bytes that the server sent.
        let sizes = server.requests.map { request in
            request.path == "/large.m3u8"
                ? list.count : fixture.bytes(String(request.path.dropFirst()))?.count ?? 0
        }
        #expect(demuxer.transfer?.log.entries.first?.byteCount == Int64(sizes.reduce(0, +)))
        #expect(try StreamFixture.frames(opener(server.url("/large.m3u8"))) == Self.allFrames)
    }

    @Test(
        .enabled(if: ProcessRunner.has("gzip"), "needs the gzip command"),
        arguments: ["list.m3u8", "film"])
    func `a small response that decompresses to a large one ends at its limit`(
        _ name: String
    ) throws {
        let bomb = try compressed(
            Array("#EXTM3U\n".utf8) + [UInt8](repeating: UInt8(ascii: "#"), count: 64 << 20))
        #expect(bomb.count < 1 << 18)
        let server = try LoopbackServer { _ in
            Self.raw("200 OK", ["Content-Encoding: gzip"], bomb)
        }
        let error = failure {
            _ = try opener(server.url("/\(name)")).openDemuxer(cancellation: Cancellation())
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test func `a response that is compressed in a wrong way is damaged`() throws {
        let server = try LoopbackServer { _ in
            Self.raw("200 OK", ["Content-Encoding: gzip"], Array("no such thing".utf8))
        }
        let error = failure {
            _ = try opener(server.url("/list.m3u8")).openDemuxer(cancellation: Cancellation())
        }
        #expect(error?.code == .damaged)
    }

    // MARK: - Cookies and passwords

    @Test func `cookies go back to the host that set them, and to no other`() throws {
        let fixture = fixture
        let other = try LoopbackServer { Self.response($0, fixture) }
        // By another name of this machine.
        let list = String(decoding: try #require(fixture.bytes("large.m3u8")), as: UTF8.self)
            .replacing("large1.ts", with: "http://localhost:\(other.port)/large1.ts")
        let server = try LoopbackServer { request in
            request.path == "/list.m3u8"
                ? Self.raw("200 OK", ["Set-Cookie: token=7; Path=/"], Array(list.utf8))
                : Self.response(request, fixture)
        }
        #expect(try StreamFixture.frames(opener(server.url("/list.m3u8"))) == Self.allFrames)
        #expect(server.requests.count > 1 && other.requests.count > 0)
        for (index, request) in server.requests.enumerated() {
            #expect(request.fields["cookie"] == (index == 0 ? nil : "token=7"))
        }
        #expect(other.requests.allSatisfy { $0.fields["cookie"] == nil })
    }

    @Test func `a redirection to another host carries no password, cookie or header field`() throws
    {
        let film = try #require(fixture.bytes("large0.ts"))
        let other = try LoopbackServer { _ in .bytes(film) }
        let target = "http://localhost:\(other.port)/film"
        let server = try LoopbackServer { request in
            guard request.fields["authorization"] != nil else {
                return Self.raw("401 No", ["WWW-Authenticate: Basic realm=\"a\""])
            }
            return request.path == "/here" ? .redirect("/there") : .redirect(target)
        }
        var options = Self.options
        options.httpHeaderFields = ["X-Token": "abc"]
        options.httpCookies = ["session": "8"]
        options.httpUserAgent = "Test"
        let url = server.url("/here").replacing("http://", with: "http://me:s%3Acret@")
        let source = try loader(options).openAsset(address(url))
        #expect(try source.bytes(upTo: 1 << 24, isCancelled: { false }) == film)
        #expect(server.requests.count == 3)
        for request in server.requests.dropFirst() {
            #expect(request.fields["authorization"] == "Basic bWU6czpjcmV0")
        }
        for request in server.requests {
            #expect(request.fields["x-token"] == "abc")
            #expect(request.fields["cookie"] == "session=8")
            #expect(request.fields["user-agent"] == "Test")
        }
        #expect(other.requests.count == 1)
        for name in ["authorization", "x-token", "cookie"] {
            #expect(other.requests.first?.fields[name] == nil)
        }
    }

    @Test func `a server that wants the plain password is asked for that once`() throws {
        let fixture = fixture
        let server = try LoopbackServer { request in
            request.fields["authorization"] == "Basic bWU6c2VjcmV0"
                ? Self.response(request, fixture)
                : Self.raw("401 No", ["WWW-Authenticate: Basic realm=\"a\""])
        }
        let url = server.url("/all.m3u8").replacing("http://", with: "http://me:secret@")
        #expect(try StreamFixture.frames(opener(url)) == Self.allFrames)
        #expect(server.requests.count { $0.fields["authorization"] == nil } == 1)
    }

    @Test func `a server that wants a digest receives no password`() throws {
        let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=MD5"
        let server = try LoopbackServer { request in
            request.fields["authorization"] == nil
                ? Self.raw("401 No", ["WWW-Authenticate: \(challenge)"]) : .bytes([1, 2, 3])
        }
        let url = server.url("/film").replacing("http://", with: "http://me:secret@")
        let source = try loader().openAsset(address(url))
        #expect(try source.bytes(upTo: 100, isCancelled: { false }) == [1, 2, 3])
        let answer = try #require(server.requests.last?.fields["authorization"])
        #expect(server.requests.count == 2 && answer.hasPrefix("Digest "))
        let nonce = try #require(answer.firstMatch(of: /cnonce="([^"]*)"/)?.output.1)
        var proof = try #require(
            RTSPAuthorization(challenges: [challenge], user: "me", password: "secret"))
        let expected = proof.value(method: "GET", url: "/film", clientNonce: String(nonce))
        let pattern = /response="[0-9a-f]+"/
        #expect(
            answer.firstMatch(of: pattern)?.output == expected.firstMatch(of: pattern)?.output)
    }

    @Test func `a wrong password is an error`() throws {
        let server = try LoopbackServer { _ in
            Self.raw("401 No", ["WWW-Authenticate: Basic realm=\"a\""])
        }
        for user in ["", "me:wrong@"] {
            let url = server.url("/film").replacing("http://", with: "http://\(user)")
            let error = failure { _ = try loader().openAsset(address(url)) }
            #expect(error?.cause == "the server refuses access (401 or 403)")
        }
    }

    // MARK: - Cancellation

    private static var patient: AssetOptions {
        var options = options
        options.openingTimeout = MediaTime(value: 3600, timescale: 1)
        return options
    }

    @Test func `a cancellation ends the wait for an answer`() throws {
        let server = try LoopbackServer { _ in .silence }
        let cancellation = Cancellation { !server.requests.isEmpty }
        let error = failure {
            _ = try loader(Self.patient, cancellation).openAsset(address(server.url("/")))
        }
        #expect(error?.code == .cancelled)
    }

    @Test func `a cancellation ends the wait for the rest of a file`() throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _ in
            .stream(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".utf8)) {
                gate.wait()
                return nil
            }
        }
        defer {
            gate.signal()
            server.stop()
        }
        let hasBegun = Mutex(false)
        let cancellation = Cancellation { hasBegun.withLock { $0 } }
        let loader = loader(Self.patient, cancellation)
        let source = try loader.openAsset(address(server.url("/")))
        #expect(try source.bytes(upTo: 3, isCancelled: { false }) == Array("abc".utf8))
        hasBegun.withLock { $0 = true }
        let error = failure {
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 9, alignment: 16)
            defer { block.deallocate() }
            _ = try source.read(into: block, at: 3, isCancelled: { cancellation.isCancelled })
        }
        #expect(error?.code == .cancelled)
    }

    @Test func `a cancellation ends the wait for a connection`() throws {
        let server = try LoopbackServer { _ in .bytes([7]) }
        let silent = try SilentPort(port: server.port)
        defer { withExtendedLifetime(silent) {} }
        let cancellation = Cancellation.afterChecks(50)
        let error = failure {
            _ = try loader(Self.patient, cancellation)
                .openAsset(address("http://127.0.0.2:\(server.port)/"))
        }
        #expect(error?.code == .cancelled)
    }
}
