// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadC
import PlayheadGL
import PlayheadTime
import Testing

/// The promises of playhead.h about hidden players, repeated media and memory.
@Suite(
    "Guarantees to hosts", .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct HostPromiseTests {
    private static let timeout: Int64 = 120_000_000_000

    private struct Flags {
        static let isNew = UInt32(PLAYHEAD_RENDER_NEW_FRAME)
        static let hasNone = UInt32(PLAYHEAD_RENDER_NO_FRAME)
        static let isHidden = UInt32(PLAYHEAD_RENDER_HIDDEN)
    }

    private static func draw(
        _ rig: HostRig, into host: GLFramebuffer
    ) throws -> playhead_render_result {
        var target = sized(\.struct_size, playhead_target())
        target.framebuffer = host.name
        (target.framebuffer_width, target.framebuffer_height) = (320, 180)
        target.background = (0, 0, 1, 1)
        var result = sized(\.struct_size, playhead_render_result())
        try check(playhead_render(rig.player, &target, &result))
        return result
    }

    private static func statistics(_ rig: HostRig) throws -> playhead_statistics {
        var statistics = sized(\.struct_size, playhead_statistics())
        try check(playhead_get_statistics(rig.player, &statistics))
        return statistics
    }

    private static func heldBytes(_ rig: HostRig) throws -> UInt64 {
        var bytes: UInt64 = 0
        try check(playhead_get_held_bytes(rig.player, &bytes))
        return bytes
    }

    private static func frameNumber(in host: GLFramebuffer) -> Int? {
        FilmTests.part(of: host.image(), x: 0, y: 0, width: 320, height: 180).frameNumber()
    }

    /// Plays a video in a host's framebuffer.
    private func withFilm(
        _ body: (HostRig, GLFramebuffer) throws -> Void
    ) throws {
        let film = try HostRig.film()
        try GraphicsTest.withContext { context in
            let rig = try HostRig()
            try check(playhead_gl_init(rig.player, nil))
            try rig.open(film)
            let host = try GLFramebuffer(width: 320, height: 180, context: context)
            try body(rig, host)
            try check(playhead_gl_deinit(rig.player))
        }
    }

    @Test
    func `nothing is uploaded while hidden, and the first visible frame is the due one`() throws {
        try withFilm { rig, host in
            try check(playhead_play(rig.player))
            _ = try Self.draw(rig, into: host)
            var texture = sized(\.struct_size, playhead_texture())
            try check(playhead_acquire_texture(rig.player, nil, &texture))
            try check(playhead_release_texture(rig.player, texture.lease, nil))
            let before = try Self.statistics(rig)
            try check(playhead_set_visible(rig.player, 0))
            for _ in 0..<10 {
                try check(playhead_tick(rig.player, HostRig.frameDuration))
                try check(playhead_wait_for_frame(rig.player, Self.timeout, nil))
                let result = try Self.draw(rig, into: host)
                #expect(result.flags == Flags.isHidden)
                #expect(result.upload_duration == 0)
                // Only the previous texture is available.
                try check(playhead_acquire_texture(rig.player, nil, &texture))
                #expect(texture.flags & Flags.isHidden != 0)
                #expect(texture.frame_time == 0)
                try check(playhead_release_texture(rig.player, texture.lease, nil))
            }
            let after = try Self.statistics(rig)
            #expect(after.upload_duration == before.upload_duration)
            #expect((after.rendered, after.new_frames) == (before.rendered, before.new_frames))
            #expect(
                (after.gl_objects, after.gl_textures) == (before.gl_objects, before.gl_textures))
            #expect(Self.frameNumber(in: host) == 0)
            try check(playhead_set_visible(rig.player, 1))
            #expect(try Self.draw(rig, into: host).flags == Flags.isNew)
            #expect(Self.frameNumber(in: host) == 10)
        }
    }

    @Test
    func `a player shown again during a seek shows no earlier frame`() throws {
        try withFilm { rig, host in
            for target in [37, 3, 45, 0] {
                try check(playhead_set_visible(rig.player, 0))
                let time = Int64(target) * HostRig.frameDuration
                try check(playhead_seek(rig.player, time, 0))
                try check(playhead_set_visible(rig.player, 1))
                try eventually("the frame of the seek") {
                    let result = try Self.draw(rig, into: host)
                    if result.flags & Flags.hasNone == 0 {
                        #expect(result.frame_time == time)
                        return true
                    }
                    // Only the background.
                    #expect(host.image()[160, 90] == SIMD4(0, 0, 255, 255))
                    return false
                }
                #expect(Self.frameNumber(in: host) == target)
            }
        }
    }

    @Test
    func `no frame of the previous media or loop iteration is shown`() throws {
        let film = try HostRig.film()
        try withFilm { rig, host in
            try check(playhead_seek(rig.player, 30 * HostRig.frameDuration, 0))
            try check(playhead_wait_for_frame(rig.player, Self.timeout, nil))
            _ = try Self.draw(rig, into: host)
            #expect(Self.frameNumber(in: host) == 30)
            for _ in 0..<3 {
                try check(playhead_open(rig.player, film))
                try eventually("the first frame") {
                    let result = try Self.draw(rig, into: host)
                    if result.flags & Flags.hasNone == 0 { return true }
                    #expect(host.image()[160, 90] == SIMD4(0, 0, 255, 255))
                    return false
                }
                #expect(Self.frameNumber(in: host) == 0)
                try check(playhead_close(rig.player))
                #expect(try Self.draw(rig, into: host).flags & Flags.hasNone != 0)
            }
        }
    }

    @Test
    func `images and LUTs of an effect are loaded`() throws {
        let folder = TemporaryFolder()
        func path(_ name: String) -> String { folder.appending(name).path }
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=16x16,format=rgb24",
            "-frames:v", "1", path("red.png"),
        ])
        let rows = repeatElement("0 0 1\n", count: 8).joined()
        try Data("LUT_3D_SIZE 2\n\(rows)".utf8).write(to: folder.appending("blue.CUBE"))
        try Data(
            """
            /*{
                "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }],
                "IMPORTED": { "red": { "PATH": "red.png" }, "blue": { "PATH": "blue.CUBE" } }
            }*/
            void main() {
                gl_FragColor = vec4(
                    IMG_NORM_PIXEL(red, vec2(0.5)).r, 0.0, IMG_NORM_PIXEL(blue, vec2(0.5)).b, 1.0);
            }
            """.utf8
        ).write(to: folder.appending("both.fs"))
        try withFilm { rig, host in
            var added: OpaquePointer?
            try check(playhead_effect_add(rig.player, path("both.fs"), &added))
            _ = try Self.draw(rig, into: host)
            #expect(host.image()[160, 90] == SIMD4(255, 0, 255, 255))
        }
    }

    private static let green = """
        /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
        void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }
        """

    @Test
    func `disabling an effect takes effect at once, also while paused`() throws {
        try withFilm { rig, _ in
            var effect: OpaquePointer?
            try check(playhead_effect_add_source(rig.player, Self.green, "green", &effect))
            var flags: [UInt32] = []
            for isEnabled in [1, 0, 0] as [Int32] {
                try check(playhead_effect_set_enabled(effect, isEnabled))
                let texture = try Self.acquire(rig)
                flags.append(texture.flags & UInt32(PLAYHEAD_RENDER_SKIPPED))
                try check(playhead_release_texture(rig.player, texture.lease, nil))
            }
            // Drawn with it, drawn without it, and then nothing is new.
            #expect(flags.map { $0 != 0 } == [false, false, true])
        }
    }

    @Test
    func `an effect disabled while every texture is leased is off in the next one`() throws {
        try withFilm { rig, _ in
            var effect: OpaquePointer?
            try check(playhead_effect_add_source(rig.player, Self.green, "green", &effect))
            let filtered = try (0..<3).map { _ in try Self.acquire(rig) }
            try check(playhead_effect_set_enabled(effect, 0))
            #expect(throws: CallError.self) { try Self.acquire(rig) }
            for texture in filtered {
                try check(playhead_release_texture(rig.player, texture.lease, nil))
            }
            // Drawn again: the last one contains the effect.
            let texture = try Self.acquire(rig)
            #expect(texture.flags & UInt32(PLAYHEAD_RENDER_SKIPPED) == 0)
            try check(playhead_release_texture(rig.player, texture.lease, nil))
        }
    }

    @Test
    func `an unusable framebuffer is refused without taking a frame`()
        throws
    {
        try withFilm { rig, host in
            var target = sized(\.struct_size, playhead_target())
            (target.framebuffer_width, target.framebuffer_height) = (320, 180)
            var result = sized(\.struct_size, playhead_render_result())
            result.frame_time = 7
            // A context without a window has no default framebuffer.
            for (name, status) in [
                (host.name + 1000, PLAYHEAD_INVALID_ARGUMENT), (0, PLAYHEAD_GL_FAILED),
            ] {
                target.framebuffer = name
                #expect(Int(playhead_render(rig.player, &target, &result)) == status)
                #expect(result.frame_time == 7)
            }
            let statistics = try Self.statistics(rig)
            #expect(statistics.rendered == 0)
            // Calls that failed have not taken the frame.
            let drawn = try Self.draw(rig, into: host)
            #expect(drawn.flags == Flags.isNew)
        }
    }

    @Test
    func `a new context and closed media ask for a redraw`() throws {
        try withFilm { rig, host in
            func isNew() throws -> Bool {
                var isNew: Int32 = -1
                try check(playhead_has_new_frame(rig.player, &isNew))
                return isNew == 1
            }
            #expect(try isNew())
            _ = try Self.draw(rig, into: host)
            #expect(try !isNew())
            #expect(try Self.statistics(rig).gl_objects > 0)
            try check(playhead_gl_deinit(rig.player))
            try check(playhead_gl_init(rig.player, nil))
            #expect(try Self.statistics(rig).gl_objects == 0)
            #expect(try isNew())
            // Not while the player is hidden.
            try check(playhead_set_visible(rig.player, 0))
            #expect(try !isNew())
            try check(playhead_set_visible(rig.player, 1))
            #expect(try isNew())
            _ = try Self.draw(rig, into: host)
            #expect(try !isNew())
            try check(playhead_close(rig.player))
            #expect(try isNew())
            let result = try Self.draw(rig, into: host)
            #expect(result.flags & UInt32(PLAYHEAD_RENDER_NO_FRAME) != 0)
            #expect(try !isNew())
        }
    }

    @Test
    func `changed effects ask for a redraw`() throws {
        try withFilm { rig, host in
            func isNew() throws -> Bool {
                var isNew: Int32 = -1
                try check(playhead_has_new_frame(rig.player, &isNew))
                return isNew == 1
            }
            var effect: OpaquePointer?
            func add(_ color: String) throws {
                let text = """
                    /*{ "INPUTS": [
                        { "NAME": "inputImage", "TYPE": "image" },
                        { "NAME": "green", "TYPE": "float" }
                    ] }*/
                    void main() { gl_FragColor = vec4(\(color), green, 0.0, 1.0); }
                    """
                try check(playhead_effect_add_source(rig.player, text, "effect", &effect))
            }
            var green: Float = 0.25
            let changes: [() throws -> Void] = [
                {}, { try add("0.5") },
                { try check(playhead_effect_set(effect, "green", &green, 1)) },
                { try check(playhead_effect_set_enabled(effect, 0)) },
                { try check(playhead_effect_set_enabled(effect, 1)) },
                { try check(playhead_effect_remove(effect)) },
            ]
            for change in changes {
                try change()
                #expect(try isNew())
                _ = try Self.draw(rig, into: host)
                #expect(try !isNew())
            }
            // An animated effect is new each time.
            try add("fract(TIME)")
            for _ in 0..<3 {
                _ = try Self.draw(rig, into: host)
                #expect(try isNew())
            }
            try check(playhead_effect_remove(effect))
            _ = try Self.draw(rig, into: host)
            #expect(try !isNew())
        }
    }

    @Test
    func `textures change size however many of the previous size are leased`() throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 25, duration: MediaTime(value: 1, timescale: 1)))
        (media.width, media.height) = (160, 90)
        let other = try SyntheticClip(media).url().path
        try withFilm { rig, _ in
            try check(playhead_play(rig.player))
            let old = try Self.acquireAll(rig)
            try rig.open(other)
            let new = try Self.acquireAll(rig)
            let most = try Self.statistics(rig).gl_textures
            #expect(new.allSatisfy { ($0.width, $0.height) == (160, 90) })
            #expect(new.allSatisfy { $0.generation == old[0].generation + 1 })
            #expect(Set(new.map(\.name)).isDisjoint(with: old.map(\.name)))
            for texture in old.reversed() {
                try check(playhead_release_texture(rig.player, texture.lease, nil))
            }
            for texture in new {
                try check(playhead_release_texture(rig.player, texture.lease, nil))
            }
            // The old ones are not read any more, so the next call deletes them.
            try check(playhead_release_texture(rig.player, try Self.acquire(rig).lease, nil))
            #expect(try Self.statistics(rig).gl_textures == most - 3)
        }
    }

    /// Returns as many frames as there are textures.
    private static func acquireAll(_ rig: HostRig) throws -> [playhead_texture] {
        let textures = try (0..<3).map { _ in
            let texture = try acquire(rig)
            try check(playhead_tick(rig.player, HostRig.frameDuration))
            try check(playhead_wait_for_frame(rig.player, timeout, nil))
            return texture
        }
        #expect(Set(textures.map(\.name)).count == 3)
        #expect(throws: CallError.self) { try acquire(rig) }
        return textures
    }

    private static func acquire(_ rig: HostRig) throws -> playhead_texture {
        var texture = sized(\.struct_size, playhead_texture())
        try check(playhead_acquire_texture(rig.player, nil, &texture))
        return texture
    }

    @Test(arguments: [false, true])
    func `the memory of media stays within its limit`(hasBudget: Bool) throws {
        let limit: UInt64 = 16 << 20
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 25, duration: MediaTime(value: 2, timescale: 1)))
        (media.width, media.height) = (1280, 720)
        let film = try SyntheticClip(media).url().path
        let rig = try HostRig()
        try check(playhead_set_memory_limit(rig.player, hasBudget ? limit : 0))
        try rig.open(film)
        try check(playhead_play(rig.player))
        var most: UInt64 = 0
        for _ in 0..<40 {
            try check(playhead_wait_for_frame(rig.player, Self.timeout, nil))
            // Frames ahead of the playhead are decoded at any time.
            if !hasBudget, most <= limit {
                try eventually("frames ahead") { try Self.heldBytes(rig) > limit }
            }
            most = max(most, try Self.heldBytes(rig))
            try check(playhead_tick(rig.player, HostRig.frameDuration))
        }
        #expect((most <= limit) == hasBudget, "\(most) bytes")
    }
}
