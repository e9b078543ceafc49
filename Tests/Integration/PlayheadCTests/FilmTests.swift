// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import Foundation
import Glibc
import GraphicsTestSupport
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadC
import PlayheadGL
import Testing

@Suite("Hosted playback", .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct FilmTests {
    @Test
    func `describe themselves`() throws {
        let rig = try HostRig()
        try check(playhead_open(rig.player, try HostRig.film()))
        _ = try #require(try rig.event(PLAYHEAD_EVENT_READY))
        var info = sized(\.struct_size, playhead_media_info())
        try check(playhead_get_media_info(rig.player, &info))
        #expect((info.width, info.height) == (320, 180))
        #expect(info.frame_rate == 25)
        #expect(abs(info.duration - 2_000_000_000) < 50_000_000)
        #expect(Int(info.flags) & PLAYHEAD_MEDIA_HAS_VIDEO != 0)
        #expect(info.color.primaries == 1)
        #expect(info.track_count == 2)
        var track = sized(\.struct_size, playhead_track_info())
        try check(playhead_get_track_info(rig.player, 0, &track))
        #expect(track.width == 320)
        #expect(
            playhead_get_track_info(rig.player, 9, &track) == playhead_status(PLAYHEAD_NOT_FOUND))
    }

    @Test
    func `each frame is drawn at its time on a ticked clock`() throws {
        let rig = try HostRig()
        try rig.open(try HostRig.film())
        try check(playhead_play(rig.player))
        for frame in 0..<50 {
            try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
            #expect(try rig.picture()?.frameNumber() == frame)
            try check(playhead_tick(rig.player, HostRig.frameDuration))
        }
        _ = try #require(try rig.event(PLAYHEAD_EVENT_ENDED))
        #expect(Int(try rig.state.flags) & PLAYHEAD_STATE_ENDED != 0)
    }

    @Test
    func `no frame is awaited while video is switched off`() throws {
        let rig = try HostRig()
        try rig.open(try HostRig.film())
        for isEnabled in [0, 1] as [Int32] {
            try check(playhead_enable_track(rig.player, 0, isEnabled))
            let status = playhead_wait_for_frame(rig.player, 120_000_000_000, nil)
            #expect(Int(status) == (isEnabled == 1 ? PLAYHEAD_OK : PLAYHEAD_EMPTY))
            #expect(try (rig.picture() != nil) == (isEnabled == 1))
        }
    }

    @Test
    func `media plays from memory, a descriptor and host functions`() throws {
        let path = try HostRig.film()
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let rig = try HostRig()
        try check(
            bytes.withUnsafeBytes {
                playhead_open_memory(rig.player, $0.baseAddress, $0.count, "film.mp4")
            })
        try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
        #expect(try rig.picture()?.frameNumber() == 0)

        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        try check(playhead_open_fd(rig.player, file.fileDescriptor, nil))
        try file.close()
        try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
        #expect(try rig.picture()?.frameNumber() == 0)

        let host = StreamHost(bytes)
        var stream = host.stream
        try check(playhead_open_stream(rig.player, &stream, "film.mp4"))
        try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
        #expect(try rig.picture()?.frameNumber() == 0)
        try check(playhead_close(rig.player))
        #expect(try rig.picture() == nil)
        // Its threads end one after the other; the last one releases the stream.
        let end = ContinuousClock.now + patience
        while !host.isClosed, ContinuousClock.now < end { sched_yield() }
        #expect(host.isClosed)
    }

    @Test
    func `are closed once if opening fails, before the call returns`() throws {
        let rig = try HostRig()
        for (player, size) in [(nil, 10), (rig.player, -5), (rig.player, 10)] {
            let host = StreamHost([UInt8](repeating: 0, count: 10))
            var stream = host.stream
            stream.size = Int64(size)
            if size == 10, player != nil { stream.read = nil }
            #expect(playhead_open_stream(player, &stream, "film") < 0)
            #expect(host.isClosed)
        }
        // An invalid stream has no functions to call.
        let host = StreamHost([])
        var stream = host.stream
        stream.struct_size = 8
        #expect(
            playhead_open_stream(rig.player, &stream, "film")
                == playhead_status(PLAYHEAD_INVALID_ARGUMENT))
        #expect(!host.isClosed)
    }

    @Test
    func `repeat as often as requested`() throws {
        let rig = try HostRig()
        try rig.open(try HostRig.film())
        try check(playhead_set_loop(rig.player, 2, 0, Int64.min))
        try check(playhead_play(rig.player))
        var rounds = 0
        for _ in 0..<2 {
            for _ in 0..<60 {
                try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
                try check(playhead_tick(rig.player, HostRig.frameDuration))
                if Int(try rig.state.loops_left) == 1 - rounds { break }
            }
            var transports: [Int64] = []
            let event = try #require(
                try rig.event(PLAYHEAD_EVENT_LOOPED) {
                    if Int($0.type) == PLAYHEAD_EVENT_TRANSPORT { transports.append($0.value) }
                })
            // It waits between its rounds.
            #expect(!transports.contains(Int64(PLAYHEAD_PAUSED)))
            rounds += 1
            #expect(event.value == Int64(rounds))
        }
    }

    @Test
    func `a seek lands on the exact frame and reports it`() throws {
        let rig = try HostRig()
        try rig.open(try HostRig.film())
        try check(playhead_seek(rig.player, 37 * HostRig.frameDuration, 0))
        let event = try #require(try rig.event(PLAYHEAD_EVENT_SEEKED))
        #expect(event.status == 0)
        try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
        #expect(try rig.picture()?.frameNumber() == 37)
    }

    @Test(.enabled(if: GraphicsTest.isAvailable))
    func `have the same frames through OpenGL as in memory`() throws {
        let film = try HostRig.film()
        try GraphicsTest.withContext { context in
            let rig = try HostRig()
            try check(playhead_gl_init(rig.player, nil))
            try rig.open(film)
            try check(playhead_play(rig.player))
            let host = try GLFramebuffer(width: 400, height: 300, context: context)
            for frame in 0..<5 {
                try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
                var target = sized(\.struct_size, playhead_target())
                target.framebuffer = host.name
                (target.framebuffer_width, target.framebuffer_height) = (400, 300)
                (target.x, target.y, target.width, target.height) = (40, 60, 320, 180)
                var result = sized(\.struct_size, playhead_render_result())
                try check(playhead_render(rig.player, &target, &result))
                #expect(Int(result.flags) == PLAYHEAD_RENDER_NEW_FRAME)
                #expect(result.frame_time == Int64(frame) * HostRig.frameDuration)
                let image = host.image()
                #expect(image[39, 60] == SIMD4(0, 0, 0, 0))
                let part = Self.part(of: image, x: 40, y: 60, width: 320, height: 180)
                #expect(part.frameNumber() == frame)
                let memory = try #require(try rig.picture())
                #expect(try #require(part.difference(from: memory)).maximum <= 1)

                var texture = sized(\.struct_size, playhead_texture())
                try check(playhead_acquire_texture(rig.player, nil, &texture))
                #expect((texture.width, texture.height) == (320, 180))
                #expect(texture.frame_time == result.frame_time)
                try check(playhead_release_texture(rig.player, texture.lease, nil))
                try check(playhead_tick(rig.player, HostRig.frameDuration))
            }
            try check(playhead_gl_deinit(rig.player))
            #expect(
                playhead_gl_deinit(rig.player) == playhead_status(PLAYHEAD_WRONG_STATE))
        }
    }

    static func part(of image: RGBAImage, x: Int, y: Int, width: Int, height: Int) -> TestImage {
        var pixels: [UInt8] = []
        for row in y..<y + height {
            let start = (row * image.width + x) * 4
            pixels += image.bytes[start..<start + width * 4]
        }
        return TestImage(width: width, height: height, pixels: pixels)
    }
}
