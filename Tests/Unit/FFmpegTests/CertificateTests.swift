// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadFFmpeg
import Testing

/// The certificates that HTTPS accepts.
@Suite(
    .enabled(
        if: ProcessRunner.has("openssl") && SyntheticClip.isAvailable,
        "needs the commands openssl and ffmpeg"))
struct CertificateTests {
    @Test func `an untrusted certificate is refused unless verification is off`() throws {
        let folder = TemporaryFolder()
        let film = try SyntheticClip(StreamFixture.film, container: "ts").url()
        try FileManager.default.copyItem(at: film, to: folder.appending("film.ts"))
        try ProcessRunner.check(
            [
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
                "/CN=localhost", "-keyout", "key.pem", "-out", "certificate.pem",
            ], directory: folder.url)
        // A port that is free now; another program could take it only in between.
        let free = try LoopbackServer { _ in .silence }
        let port = free.port
        free.stop()
        let server = try ChildProcess(
            [
                "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-cert", "certificate.pem",
                "-key", "key.pem", "-WWW",
            ], directory: folder.url)
        defer { server.kill() }
        let url = "https://127.0.0.1:\(port)/film.ts"
        var options = AssetOptions()
        func open() throws(MediaError) -> any Demuxer {
            try FFmpegOpener(AssetLocation(url), options: options)
                .openDemuxer(cancellation: Cancellation())
        }
        // It accepts connections only some time after its start.
        let error = try eventually("a server that takes connections") { () -> MediaError? in
            do throws(MediaError) {
                _ = try open()
                return nil
            } catch {
                return error.cause == "the server does not accept connections" ? nil : error
            }
        }
        #expect(error.code == .cannotOpen)
        #expect(error.cause.contains("its certificate is not valid"))
        options.rules.verifiesCertificates = false
        let demuxer = try open()
        #expect(demuxer.description.tracks.count == 1)
    }
}
