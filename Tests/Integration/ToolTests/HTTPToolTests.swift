// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import Testing

/// Files over HTTP in the tool.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct HTTPToolTests {
    @Test func `options reach the server, and a proxy of the environment is not used`() throws {
        let film = Array(try Data(contentsOf: SyntheticClip(SyntheticMedia()).url()))
        let server = try LoopbackServer { _ in .bytes(film) }
        let url = server.url("/film.mp4")
        // No server has this port.
        let nowhere = "http://127.0.0.1:1"
        let play = ["play", "--headless", "--mute", "--frames", "2", url]
        let played = try Tool.run(
            play + ["--user-agent", "Test", "--http-header-fields", "X-Token: a: b"],
            environment: ["http_proxy": nowhere, "all_proxy": nowhere, "ALL_PROXY": nowhere])
        played.expectSuccess()
        #expect(!server.requests.isEmpty)
        for request in server.requests {
            #expect(request.fields["user-agent"] == "Test")
            #expect(request.fields["x-token"] == "a: b")
        }
        let refused = try Tool.run(play + ["--http-proxy", nowhere])
        refused.expectError(2, saying: ["127.0.0.1", "the proxy does not accept connections"])
    }
}
