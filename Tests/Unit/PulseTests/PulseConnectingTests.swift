// SPDX-License-Identifier: Apache-2.0

import Glibc
import MediaTestSupport
import PlayheadAudio
import PlayheadBuffers
import PlayheadTime
import PulseTestSupport
import Testing

@testable import PlayheadPulse

/// Sinks that look for their server in the background.
@Suite(.serialized, .enabled(if: PulseServer.isInstalled, Comment(rawValue: PulseServer.absence)))
struct PulseConnectingTests {
    private final class Silence: AudioSource {
        func render(
            into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
        ) {
            samples.update(repeating: 0, count: 2 * frameCount)
        }
    }

    private static func options(_ server: String) -> PulseAudioOptions {
        var options = PulseAudioOptions()
        options.server = server
        return options
    }

    /// Returns the socket of a server that never answers.
    private static func silentSocket() throws -> (descriptor: CInt, path: String) {
        let path = "/tmp/playhead-silent-\(getpid())-\(HostClock.nanoseconds)"
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(descriptor >= 0 && status == 0 && listen(descriptor, 8) == 0)
        return (descriptor, path)
    }

    @Test(.timeLimit(.minutes(20)))
    func `an available server is found, and earlier requests are applied`() throws {
        let server = try PulseServer()
        let sink = PulseAudioSink(connectingInBackground: Self.options(server.address))
        sink.start(Silence()) {}
        sink.resume()
        try eventually("the server") { sink.isAwake && sink.currentDevice == "null" }
        #expect(sink.status == .running)
        #expect(sink.format == .stereo(sampleRate: 48_000))
    }

    @Test(.timeLimit(.minutes(20)))
    func `a server that starts later is found later`() throws {
        let server = try PulseServer()
        server.stop()
        let sink = PulseAudioSink(connectingInBackground: Self.options(server.address))
        sink.start(Silence()) {}
        sink.resume()
        try eventually("the sink is awake") { sink.isAwake }
        guard case .failed(let error) = sink.status else {
            Issue.record("\(sink.status)")
            return
        }
        #expect(error.code == .noServer)
        try server.start()
        try eventually("the server") { sink.status == .running && sink.currentDevice != nil }
    }

    @Test(.timeLimit(.minutes(20)))
    func `a server that does not answer delays callers only until the deadline`() throws {
        let (descriptor, path) = try Self.silentSocket()
        defer {
            close(descriptor)
            unlink(path)
        }
        let sink = PulseAudioSink(connectingInBackground: Self.options("unix:\(path)"))
        // There was no wait for it.
        #expect(!sink.isAwake)
        #expect(sink.status == .ready)
        #expect(sink.currentDevice == nil)
        try eventually("the sink is awake") { sink.isAwake }
        guard case .failed(let error) = sink.status else {
            Issue.record("\(sink.status)")
            return
        }
        #expect(error.code == .timedOut)
    }
}
