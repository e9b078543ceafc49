// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import Testing

/// A host with an OpenGL ES context, as engines have on small machines.
@Suite(
    "OpenGL ES", .serialized,
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct EmbeddedSystemsTests {
    /// Extensions that provide what OpenGL ES 3.0 lacks; without them there is only the core.
    private static let extensions = [
        "EXT_texture_norm16", "OES_texture_float_linear", "EXT_color_buffer_half_float",
        "EXT_color_buffer_float", "EXT_disjoint_timer_query", "OES_draw_buffers_indexed",
        "EXT_draw_buffers_indexed", "EXT_sRGB_write_control", "EXT_clip_control",
        "EXT_clip_cull_distance", "OES_viewport_array", "OES_sample_shading",
        "KHR_blend_equation_advanced", "KHR_blend_equation_advanced_coherent",
    ]

    /// The versions that Mesa is configured to provide.
    enum Kind: String, CaseIterable {
        case newest, oldest, bare

        var environment: [String: String?] {
            switch self {
            case .newest: [:]
            case .oldest: ["MESA_GLES_VERSION_OVERRIDE": "3.0"]
            case .bare:
                [
                    "MESA_GLES_VERSION_OVERRIDE": "3.0",
                    "MESA_EXTENSION_OVERRIDE":
                        extensions.map { "-GL_\($0)" }.joined(separator: " "),
                ]
            }
        }
    }

    /// Returns the pixels that a host in C draws, and its errors. A context that is missing is an
    /// error: where there is OpenGL, there is OpenGL ES.
    private func run(
        _ film: String, _ folder: TemporaryFolder, profile: String,
        environment: [String: String?] = [:], conversion: String, effects: Bool
    ) throws -> (pixels: [UInt8], complaints: [Substring]) {
        let out = folder.url.appending(path: "pixels").path
        var environment = environment
        environment["PLAYHEAD_CONVERSION"] = conversion
        let result = try ProcessRunner.run(
            [
                "\(Built.folder)/HostStateHost", profile, "3", profile == "es" ? "0" : "3",
                "pictures",
            ]
                + [film, out] + (effects ? ["effects"] : []),
            environment: environment, deadline: .seconds(1200))
        try #require(result.status != 77, "no context: \(profile), \(environment)")
        let complaints = result.standardError.split(separator: "\n").filter {
            // Mesa's message about the override.
            !$0.hasPrefix("Warning: extension")
        }
        #expect((result.status == 0) == complaints.isEmpty, "\(result.text)\(complaints)")
        return ([UInt8](try Data(contentsOf: URL(filePath: out))), complaints)
    }

    /// Returns the pixels that a host in C draws without an error.
    private func pixels(
        _ film: String, _ folder: TemporaryFolder, profile: String,
        environment: [String: String?] = [:], conversion: String, effects: Bool = false
    ) throws -> [UInt8] {
        let drawn = try run(
            film, folder, profile: profile, environment: environment, conversion: conversion,
            effects: effects)
        #expect(drawn.complaints == [])
        return drawn.pixels
    }

    private func film(_ format: String, in folder: TemporaryFolder) throws -> String {
        let film = folder.url.appending(path: "film.nut").path
        // Raw video, so that the planes are of that format.
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x54:duration=0.4",
            "-c:v", "rawvideo", "-pix_fmt", format, film,
        ])
        return film
    }

    @Test(arguments: [
        "yuv420p", "nv12", "yuv420p10le", "yuv444p12le", "yuva420p", "rgb24", "bgra", "gray",
        "gray16be", "rgb48be",
    ])
    func `video matches OpenGL`(_ format: String) throws {
        let folder = TemporaryFolder()
        let film = try film(format, in: folder)
        let expected = try pixels(film, folder, profile: "core", conversion: "gpu")
        #expect(Set(expected).count > 20)
        for kind in [Kind.newest, .bare] {
            let found = try pixels(
                film, folder, profile: "es", environment: kind.environment, conversion: "gpu")
            #expect(Self.difference(expected, found) <= 1, "\(kind)")
        }
    }

    @Test
    func `CPU conversion matches OpenGL`() throws {
        let folder = TemporaryFolder()
        let film = try film("yuv420p", in: folder)
        let expected = try pixels(film, folder, profile: "core", conversion: "cpu")
        let found = try pixels(
            film, folder, profile: "es", environment: Kind.bare.environment, conversion: "cpu")
        #expect(expected == found)
    }

    @Test(arguments: [Kind.newest, .oldest])
    func `built-in effects match OpenGL`(_ kind: Kind) throws {
        let folder = TemporaryFolder()
        let film = try film("yuv420p", in: folder)
        let expected = try pixels(
            film, folder, profile: "core", conversion: "gpu", effects: true)
        let found = try pixels(
            film, folder, profile: "es", environment: kind.environment, conversion: "gpu",
            effects: true)
        #expect(Self.difference(expected, found) <= 1)
    }

    @Test
    func `effects that need float textures are reported, and the others drawn`() throws {
        let folder = TemporaryFolder()
        let film = try film("yuv420p", in: folder)
        let expected = try pixels(
            film, folder, profile: "core", conversion: "gpu", effects: true)
        let found = try run(
            film, folder, profile: "es", environment: Kind.bare.environment,
            conversion: "gpu", effects: true)
        #expect(!found.complaints.isEmpty)
        #expect(found.complaints.allSatisfy { $0.contains("GL_EXT_color_buffer_half_float") })
        let size = 120 * 68 * 4
        try #require(expected.count == found.pixels.count && expected.count % size == 0)
        let others = stride(from: 0, to: expected.count, by: size).filter { first in
            let range = first..<(first + size)
            return Self.difference(Array(expected[range]), Array(found.pixels[range])) > 1
        }
        #expect(others.count <= found.complaints.count)
    }

    /// Returns the largest difference between two bytes.
    private static func difference(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard left.count == right.count else { return .max }
        return zip(left, right).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }
}
