// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import Testing

/// The hosts under Demos/Embedding, compiled like their users do, and run without a window.
@Suite(
    "Hosts in other languages", .serialized,
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct DemoTests {
    static let demos = Checkout.root.appending(path: "Demos/Embedding").path
    private static let frames = 12

    /// Compiles a host; returns nil if the compiler or a library of the host is missing.
    private func compile(
        _ compiler: String, _ source: String, packages: [String], in folder: TemporaryFolder
    ) throws -> String? {
        guard ProcessRunner.has(compiler), ProcessRunner.has("pkg-config") else { return nil }
        let flags = try ProcessRunner.run(["pkg-config", "--cflags", "--libs"] + packages)
        guard flags.status == 0 else { return nil }
        let object = folder.url.appending(path: "headless.o").path
        let program = folder.url.appending(path: "host").path
        try ProcessRunner.check([
            "gcc", "-std=c99", "-c", "\(Self.demos)/Common/headless.c", "-o", object,
        ])
        try ProcessRunner.check(
            [
                compiler, "-Wall", "-Wextra", "-pedantic", "-Werror",
                compiler == "g++" ? "-std=c++11" : "-std=c99", "\(Self.demos)/\(source)", object,
                "-I\(HeaderTests.folder)", "-I\(Self.demos)/Common", "-o", program,
                Built.library, "-Wl,-rpath,\(Built.folder)",
            ] + flags.text.split(whereSeparator: \.isWhitespace).map(String.init))
        return program
    }

    /// Returns the last of some frames, as a host draws it.
    private func picture(
        _ command: [String], in folder: TemporaryFolder, effect: String?
    ) throws -> TestImage {
        let output = folder.url.appending(path: "out.png").path
        try ProcessRunner.check(
            command + [
                try HostRig.film(), "--headless", "--frames", "\(Self.frames)", "-o", output,
            ] + (effect.map { ["--effect", $0] } ?? []),
            environment: ["PLAYHEAD_LIBRARY": Built.library])
        return try TestImage(contentsOf: URL(filePath: output))
    }

    @Test(arguments: [nil, "chroma_key"])
    func `all languages draw the same frame to the byte`(_ effect: String?) throws {
        var pictures: [String: TestImage] = [:]
        let folder = TemporaryFolder()
        if let host = try compile("gcc", "C/main.c", packages: ["glfw3", "egl"], in: folder) {
            pictures["C"] = try picture([host], in: folder, effect: effect)
        }
        if let host = try compile(
            "g++", "CPlusPlus/main.cpp", packages: ["sdl2", "gl", "egl"], in: folder)
        {
            pictures["C++"] = try picture([host], in: folder, effect: effect)
        }
        if ProcessRunner.has("python3") {
            pictures["Python"] = try picture(
                ["python3", "\(Self.demos)/Python/host.py"], in: folder, effect: effect)
        }
        pictures["Swift"] = try picture(
            ["\(Built.folder)/EmbeddingHost"], in: folder, effect: effect)
        let first = try #require(pictures["Swift"])
        #expect((first.width, first.height) == (640, 360))
        // Frame 11 of a loop at 30 frames a second, with a video of 25.
        if effect == nil {
            #expect(first.frameNumber(sourceWidth: 320, sourceHeight: 180) == 9)
        }
        for (language, picture) in pictures {
            #expect(picture == first, "\(language)")
        }
    }

    @Test
    func `Dear ImGui and the video do not affect each other's pixels`() throws {
        let folder = TemporaryFolder()
        guard
            let plain = try compile("gcc", "C/main.c", packages: ["glfw3", "egl"], in: folder)
        else { return }
        let film = try picture([plain], in: folder, effect: nil)
        guard
            let host = try compile(
                "g++", "ImGui/main.cpp", packages: ["imgui", "glfw3", "egl"], in: folder)
        else { return }
        let both = try picture([host], in: folder, effect: nil)
        try #require((both.width, both.height) == (film.width, film.height))
        // The position of the host's panel.
        let (columns, rows) = (16..<16 + 240, 16..<16 + 96)
        var (changed, touched) = (0, 0)
        for y in 0..<film.height {
            for x in 0..<film.width where both[x, y] != film[x, y] {
                if columns.contains(x), rows.contains(y) { changed += 1 } else { touched += 1 }
            }
        }
        // The panel is nearly opaque; its text is white.
        #expect(changed > columns.count * rows.count * 9 / 10)
        #expect(touched == 0)
        #expect(
            rows.contains { y in columns.contains { both[$0, y] == SIMD4(255, 255, 255, 255) } })
    }

    @Test
    func `find the functions of playhead.h in the library, and no other playhead symbols`() throws {
        guard ProcessRunner.has("nm") else { return }
        let listed = try ProcessRunner.check(["nm", "-D", "--defined-only", Built.library]).text
        let exported = Set(
            listed.split(separator: "\n").compactMap { line in
                line.split(separator: " ").last.map(String.init)
            }.filter { $0.hasPrefix("playhead_") })
        let declared = Set(
            try HeaderTests.header.split(separator: "\n").compactMap {
                HeaderTests.function(declaredIn: $0)
            })
        #expect(exported == declared)
    }

    /// Each would make the library larger by megabytes that no host requires.
    @Test
    func `the library links neither Foundation nor regular expressions`() throws {
        guard ProcessRunner.has("nm") else { return }
        let needed = try ProcessRunner.check(["nm", "-D", "--undefined-only", Built.library]).text
        let heavy = needed.split(separator: "\n").filter {
            $0.contains("20FoundationEssentials") || $0.contains("17_StringProcessing")
        }
        #expect(heavy.isEmpty)
    }
}
