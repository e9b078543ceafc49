// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import Testing

/// A host in C that records what it draws.
@Suite(
    .serialized, .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct RecordTests {
    private let folder = TemporaryFolder()

    @Test(arguments: ["framebuffer", "multisampled", "texture", "memory"])
    func `a recorded file has the frames that were drawn, and recording allocates nothing`(
        _ source: String
    ) throws {
        let film = folder.url.appending(path: "out.mkv").path
        let raw = folder.url.appending(path: "out.rgb").path
        let result = try Built.run("RecordHost", "record", source, "40", film, raw)
        #expect(result.status == 0, "\(result.text)\(result.standardError)")
        let words = result.text.split { !$0.isNumber }.compactMap { Int($0) }
        let allocations = try #require(words.first)
        // Code without optimisation allocates where it keeps the host's OpenGL state.
        #if DEBUG
            let isCounted = source == "memory"
        #else
            let isCounted = true
        #endif
        // The driver may allocate when a framebuffer is read.
        let limit = source == "memory" ? 0 : words.last ?? 0
        #expect(!isCounted || allocations <= limit, "\(result.text)")
        let decoded = try ProcessRunner.run([
            "ffmpeg", "-v", "error", "-i", film, "-map", "0:v", "-fps_mode", "passthrough", "-f",
            "rawvideo", "-pix_fmt", "rgb24", "-",
        ]).standardOutput
        let drawn = try Data(contentsOf: URL(filePath: raw))
        #expect(decoded.count == 96 * 54 * 3 * 40)
        #expect(drawn.elementsEqual(decoded))
        let streams = try ProcessRunner.run([
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", film,
        ])
        #expect(streams.text == "ffv1\npcm_f32le\n")
    }

    @Test func `what cannot be recorded is refused, and leaves no file`() throws {
        let result = try Built.run("RecordHost", "errors", folder.url.path)
        #expect(result.status == 0, "\(result.text)\(result.standardError)")
    }
}
