// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import GraphicsTestSupport
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadC
import PlayheadGL
import Testing

@Suite("Hosted subtitles", .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct SubtitleTests {
    /// For a video of two seconds.
    private static let text = """
        1
        00:00:00,400 --> 00:00:00,800
        <i>Grüße</i>
        aus der Mitte

        2
        00:00:01,200 --> 00:00:01,600
        Second

        """

    /// Returns a player with a video and a subtitle file, and the index of its track.
    private func open(
        _ text: String = Self.text, name: String = "film.en.srt"
    ) throws -> (HostRig, UInt32) {
        let rig = try HostRig()
        try rig.open(try HostRig.film())
        var index: UInt32 = 0
        let bytes = Array(text.utf8)
        try check(
            bytes.withUnsafeBytes {
                playhead_add_subtitles_memory(
                    rig.player, $0.baseAddress, $0.count, name, &index)
            })
        return (rig, index)
    }

    /// Returns the current text and its size in bytes; nil without text.
    private func words(_ rig: HostRig, room: Int = 256) throws -> (String, Int)? {
        var text = [CChar](repeating: 88, count: room)
        var size = 0
        let status = try check(
            playhead_get_subtitle_text(rig.player, 0, &text, room, &size))
        guard status == PLAYHEAD_OK else { return nil }
        #expect(text.contains(0), "ended")
        return (String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self), size)
    }

    private func info(_ rig: HostRig, _ index: UInt32) throws -> playhead_track_info {
        var info = sized(\.struct_size, playhead_track_info())
        try check(playhead_get_track_info(rig.player, index, &info))
        return info
    }

    /// Seeks the video to a frame, and waits for it.
    private func seek(_ rig: HostRig, toFrame frame: Int64) throws {
        try check(
            playhead_seek(
                rig.player, frame * HostRig.frameDuration,
                playhead_seek_mode(PLAYHEAD_SEEK_EXACT)))
        _ = try #require(try rig.event(PLAYHEAD_EVENT_SEEKED))
        try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
    }

    private func setStyle(_ rig: HostRig, _ set: (inout playhead_subtitle_style) -> Void) throws {
        var style = sized(\.struct_size, playhead_subtitle_style())
        set(&style)
        try check(playhead_set_subtitle_style(rig.player, &style))
    }

    @Test
    func `a subtitle file is a track after those of the media and replaces the selected one`()
        throws
    {
        let rig = try HostRig()
        var index: UInt32 = 7
        #expect(
            playhead_add_subtitles(rig.player, "film.srt", &index)
                == playhead_status(PLAYHEAD_WRONG_STATE))
        #expect(index == 7)

        let (other, place) = try open()
        #expect(place == 2)
        var second: UInt32 = 0
        try check(playhead_add_subtitles(other.player, "/nowhere/film.de.srt", &second))
        #expect(second == 3)
        var media = sized(\.struct_size, playhead_media_info())
        try check(playhead_get_media_info(other.player, &media))
        #expect(media.track_count == 4)
        var track = try info(other, place)
        #expect(track.kind == playhead_track_kind(PLAYHEAD_TRACK_SUBTITLE))
        #expect(withUnsafeBytes(of: track.language) { $0.starts(with: Array("en\0".utf8)) })
        #expect(track.is_enabled == 0)

        try check(playhead_enable_track(other.player, place, 1))
        _ = try #require(try other.event(PLAYHEAD_EVENT_TRACKS))
        #expect(try info(other, place).is_enabled == 1)
        try check(playhead_enable_track(other.player, second, 1))
        #expect(try info(other, place).is_enabled == 0)
        #expect(try info(other, second).is_enabled == 1)
        try check(playhead_enable_track(other.player, place, 0))
        #expect(try info(other, second).is_enabled == 1, "another is off already")
        try check(playhead_enable_track(other.player, second, 0))
        track = try info(other, second)
        #expect(track.is_enabled == 0)
        #expect(
            playhead_enable_track(other.player, 4, 1) == playhead_status(PLAYHEAD_NOT_FOUND))
    }

    @Test
    func `that cannot be read are reported once while playback continues`() throws {
        let (rig, _) = try open()
        var place: UInt32 = 0
        try check(playhead_add_subtitles(rig.player, "/nowhere/film.srt", &place))
        try check(playhead_enable_track(rig.player, place, 1))
        let event = try #require(try rig.event(PLAYHEAD_EVENT_WARNING))
        #expect(Int(event.status) == PLAYHEAD_CANNOT_OPEN)
        #expect(
            withUnsafeBytes(of: event.text) { String(decoding: $0, as: UTF8.self) }
                .contains("/nowhere/film.srt"))
        #expect(try rig.picture()?.frameNumber() == 0)
    }

    @Test
    func `subtitle text is read with its delay and truncated between characters`() throws {
        let (rig, place) = try open()
        #expect(try words(rig) == nil)
        try check(playhead_enable_track(rig.player, place, 1))
        try seek(rig, toFrame: 12)
        let whole = "Grüße\naus der Mitte"
        try eventually("text") { try words(rig) != nil }
        var (text, size) = try #require(try words(rig))
        #expect(text == whole)
        #expect(size == whole.utf8.count + 1)
        // The third and the fourth letter take two bytes each.
        (text, size) = try #require(try words(rig, room: 4))
        #expect(text == "Gr")
        #expect(size == whole.utf8.count + 1)
        size = 0
        try check(playhead_get_subtitle_text(rig.player, 0, nil, 0, &size))
        #expect(size == whole.utf8.count + 1)
        #expect(
            playhead_get_subtitle_text(rig.player, 0, nil, 5, nil)
                == playhead_status(PLAYHEAD_INVALID_ARGUMENT))

        try setStyle(rig) { $0.delay = 800_000_000 }
        #expect(try words(rig) == nil)
        try seek(rig, toFrame: 32)
        #expect(try words(rig)?.0 == whole)
        // Also for videos that are opened later.
        #expect(try info(rig, place).is_enabled == 1)
        try check(playhead_enable_track(rig.player, place, 0))
        #expect(try words(rig) == nil)
    }

    @Test
    func `with an invalid style are refused`() throws {
        let rig = try HostRig()
        let wrong: [(inout playhead_subtitle_style) -> Void] = [
            { $0.scale = 0.01 }, { $0.scale = .nan }, { $0.scale = -1 }, { $0.elevation = 101 },
            { $0.elevation = .infinity }, { $0.delay = .max }, { $0.struct_size = 8 },
        ]
        for set in wrong {
            var style = sized(\.struct_size, playhead_subtitle_style())
            set(&style)
            #expect(
                playhead_set_subtitle_style(rig.player, &style)
                    == playhead_status(PLAYHEAD_INVALID_ARGUMENT))
        }
    }

    /// Returns the framebuffer that a host draws of a player, and the result of the call.
    private func draw(_ rig: HostRig, _ framebuffer: GLFramebuffer) throws -> (TestImage, Int) {
        var target = sized(\.struct_size, playhead_target())
        target.framebuffer = framebuffer.name
        (target.framebuffer_width, target.framebuffer_height) = (320, 180)
        target.flags = UInt32(PLAYHEAD_TARGET_IF_CHANGED)
        var result = sized(\.struct_size, playhead_render_result())
        try check(playhead_render(rig.player, &target, &result))
        let image = framebuffer.image()
        return (
            FilmTests.part(of: image, x: 0, y: 0, width: 320, height: 180), Int(result.flags)
        )
    }

    private func texture(_ rig: HostRig) throws -> TestImage {
        var texture = sized(\.struct_size, playhead_texture())
        try check(playhead_acquire_texture(rig.player, nil, &texture))
        let image = GraphicsTest.image(texture: texture.name, width: 320, height: 180)
        try check(playhead_release_texture(rig.player, texture.lease, nil))
        return FilmTests.part(of: image, x: 0, y: 0, width: 320, height: 180)
    }

    /// Returns whether an image differs from the video's own frame.
    private func hasWords(_ image: TestImage, _ rig: HostRig) throws -> Bool {
        let film = try #require(try rig.picture())
        return try #require(image.difference(from: film)).maximum > 64
    }

    private func isNew(_ rig: HostRig) throws -> Bool {
        var isNew: Int32 = 0
        try check(playhead_has_new_frame(rig.player, &isNew))
        return isNew != 0
    }

    private func withFilm(_ body: (HostRig, UInt32, GLFramebuffer) throws -> Void) throws {
        let (rig, place) = try open()
        try GraphicsTest.withContext { context in
            try check(playhead_gl_init(rig.player, nil))
            let framebuffer = try GLFramebuffer(width: 320, height: 180, context: context)
            try body(rig, place, framebuffer)
            try check(playhead_gl_deinit(rig.player))
        }
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `subtitles are drawn exactly as long as they last`() throws {
        try withFilm { rig, place, framebuffer in
            try check(playhead_enable_track(rig.player, place, 1))
            // Their size is known from the first draw on.
            _ = try draw(rig, framebuffer)
            _ = try texture(rig)
            try check(playhead_play(rig.player))
            var seen: [Int] = []
            for frame in 0..<50 {
                try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
                let (image, _) = try draw(rig, framebuffer)
                let isSeen = try hasWords(image, rig)
                #expect(try hasWords(texture(rig), rig) == isSeen, "\(frame)")
                if isSeen { seen.append(frame) }
                try check(playhead_tick(rig.player, HostRig.frameDuration))
            }
            #expect(seen == Array(10..<20) + Array(30..<40))
        }
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `can be toggled while paused, and hosts are woken`() throws {
        try withFilm { rig, place, framebuffer in
            try seek(rig, toFrame: 12)
            #expect(try !hasWords(draw(rig, framebuffer).0, rig))
            #expect(try !isNew(rig))
            try check(playhead_enable_track(rig.player, place, 1))
            #expect(try isNew(rig))
            try eventually("text in the frame") {
                try isNew(rig) && hasWords(draw(rig, framebuffer).0, rig)
            }
            try eventually("no new frame") {
                let (_, flags) = try draw(rig, framebuffer)
                return try flags & PLAYHEAD_RENDER_SKIPPED != 0 && !isNew(rig)
            }
            try eventually("text in the texture") { try hasWords(texture(rig), rig) }
            // Smaller text, further up.
            let before = try draw(rig, framebuffer).0
            try setStyle(rig) { ($0.scale, $0.elevation) = (0.5, 50) }
            #expect(try isNew(rig))
            try eventually("others") {
                let image = try draw(rig, framebuffer).0
                return try #require(image.difference(from: before)).maximum > 64
            }
            try setStyle(rig) { $0.is_hidden = 1 }
            #expect(try isNew(rig))
            #expect(try !hasWords(draw(rig, framebuffer).0, rig))
            #expect(try !hasWords(texture(rig), rig))
            #expect(try words(rig) != nil, "for hosts that draw subtitles themselves")
            try setStyle(rig) { $0.is_hidden = 0 }
            try eventually("text again") { try hasWords(draw(rig, framebuffer).0, rig) }
            try check(playhead_enable_track(rig.player, place, 0))
            #expect(try isNew(rig))
            try eventually("none") { try !hasWords(draw(rig, framebuffer).0, rig) }
        }
    }
}
