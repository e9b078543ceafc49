// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import Testing

/// Hosts in C, as processes. `Scripts/prove/host-state` and `embedding-fuzz` run them for longer.
@Suite(
    "C hosts", .serialized,
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct HostProcessTests {
    @Test(arguments: [
        ("core", "3", "3"), ("core", "4", "5"), ("compat", "3", "3"), ("compat", "4", "5"),
        ("es", "3", "0"), ("es", "3", "1"), ("es", "3", "2"),
    ])
    func `find their OpenGL state restored and the frames correct`(
        _ context: (profile: String, major: String, minor: String)
    ) throws {
        // Mesa creates the newest version if an older one is requested, unless this is overridden.
        let version = context.major + "." + context.minor
        let environment =
            context.profile == "es"
            ? ["MESA_GLES_VERSION_OVERRIDE": version]
            : ["MESA_GL_VERSION_OVERRIDE": version + (context.profile == "core" ? "" : "COMPAT")]
        let result = try ProcessRunner.run(
            [
                "\(Built.folder)/HostStateHost", context.profile, context.major, context.minor,
                "40", "1", try HostRig.film(),
            ], environment: environment, deadline: .seconds(1200))
        #expect(result.status == 0, "\(result.text)\(result.standardError)")
    }

    @Test(arguments: [1, 2])
    func `hosts can call any function in any order on two threads`(_ seed: Int) throws {
        let result = try Built.run("CallFuzzHost", "4000", "\(seed)", try HostRig.film())
        #expect(result.status == 0, "\(result.text)\(result.standardError.suffix(4000))")
    }

    @Test
    func `hosts can destroy a player at any moment`() throws {
        let result = try Built.run("DestroyHost", "1", try HostRig.film())
        #expect(result.status == 0, "\(result.text)\(result.standardError.suffix(4000))")
    }

    @Test(
        arguments: ["cpu", "gpu"],
        [["core"], ["es"], ["core", "contrast"], ["es", "contrast"], ["es", "chroma_key"]])
    func `every frame is drawn into framebuffers of one and of several samples in turn`(
        _ conversion: String, _ options: [String]
    ) throws {
        let result = try ProcessRunner.run(
            ["\(Built.folder)/TurnsHost", try HostRig.film()] + options,
            environment: ["PLAYHEAD_CONVERSION": conversion], deadline: .seconds(1200))
        #expect(result.status == 0, "\(result.text)\(result.standardError)")
    }

    @Test(arguments: [
        "yuv420p", "yuv422p10le", "yuv444p", "nv12", "rgb24", "gray", "yuva420p",
        "yuva444p10le",
    ])
    func `hosts that sample planes get the frame that is rendered`(_ format: String)
        throws
    {
        let folder = TemporaryFolder()
        let film = folder.url.appending(path: "film.nut").path
        // Raw video, so that the planes are of that format.
        let made = try ProcessRunner.run([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x54:duration=0.2",
            "-c:v", "rawvideo", "-pix_fmt", format, film,
        ])
        try #require(made.status == 0, "\(made.standardError)")
        let result = try Built.run("SamplingHost", film)
        #expect(result.status == 0, "\(result.text)\(result.standardError)")
        #expect(result.text.hasPrefix(format))
    }
}
