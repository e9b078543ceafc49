// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import MediaTestSupport
import PlayheadC
import PlayheadThreads
import Synchronization
import Testing

@Suite("C API calls")
struct CallTests {
    @Test
    func `detect invalid and stale handles, and handles of another kind`() throws {
        let rig = try HostRig()
        var effect: OpaquePointer?
        try check(playhead_effect_add(rig.player, "chroma_key", &effect))
        let invalid = playhead_status(PLAYHEAD_INVALID_HANDLE)
        #expect(playhead_play(nil) == invalid)
        #expect(playhead_play(effect) == invalid)
        #expect(playhead_effect_set_enabled(rig.player, 1) == invalid)
        for bits in [1, 0x7FFF_FFFF_0000, UInt.max, UInt(bitPattern: rig.player) + 1] {
            #expect(playhead_pause(OpaquePointer(bitPattern: bits)) == invalid)
        }
        try check(playhead_effect_remove(effect))
        #expect(playhead_effect_remove(effect) == invalid)
        #expect(String(cString: playhead_last_error()!).contains("destroyed"))

        var other: OpaquePointer?
        try check(playhead_create(nil, &other))
        try check(playhead_effect_add(other, "chroma_key", &effect))
        try check(playhead_destroy(other))
        #expect(playhead_destroy(other) == invalid)
        #expect(playhead_effect_set_enabled(effect, 0) == invalid)
    }

    @Test
    func `the clock and the audio can be replaced on two threads at once`() throws {
        let rig = try HostRig()
        nonisolated(unsafe) let player = rig.player
        let external = playhead_clock_mode(PLAYHEAD_CLOCK_EXTERNAL)
        let threads = (0..<2).map { number in
            WorkerThread(name: "host \(number)") {
                for _ in 0..<300 {
                    playhead_set_clock(player, external, { _, time in time + 5_000_000 }, nil)
                    playhead_set_audio(
                        player, playhead_audio_mode(PLAYHEAD_AUDIO_NONE), 48_000, 2)
                }
            }
        }
        for thread in threads { thread.join() }
        try check(playhead_destroy(rig.player))
    }

    @Test
    func `log one line at a time, also for messages of several lines`() throws {
        final class Log: Sendable { let lines = Mutex<[String]>([]) }
        let log = Log()
        try check(
            playhead_set_log(
                { user, _, line in
                    guard let user, let line else { return }
                    let log = Unmanaged<Log>.fromOpaque(user).takeUnretainedValue()
                    log.lines.withLock { $0.append(String(cString: line)) }
                }, Unmanaged.passUnretained(log).toOpaque(),
                playhead_log_level(PLAYHEAD_LOG_WARNING)))
        defer { playhead_set_log(nil, nil, playhead_log_level(PLAYHEAD_LOG_ERROR)) }
        let rig = try HostRig()
        try check(playhead_open(rig.player, "/nowhere/of two\nlines of a log"))
        #expect(try rig.event(PLAYHEAD_EVENT_ERROR) != nil)
        // Concurrent tests may log, too.
        let lines = log.lines.withLock { $0 }
        let first = try #require(lines.firstIndex(of: "/nowhere/of two"))
        #expect(lines[first...].contains { $0.hasPrefix("lines of a log: ") })
        #expect(lines.allSatisfy { !$0.contains("\n") })
    }

    @Test
    func `that seek failed media return its error and send no event`() throws {
        let rig = try HostRig()
        try check(playhead_open(rig.player, "/nowhere/film.mp4"))
        _ = try #require(try rig.event(PLAYHEAD_EVENT_ERROR))
        let status = playhead_status(PLAYHEAD_CANNOT_OPEN)
        let calls: [() -> playhead_status] = [
            { playhead_seek(rig.player, 1_000_000_000, 0) }, { playhead_step(rig.player, 1) },
            { playhead_start_at(rig.player, 1, 0, 0) },
        ]
        for call in calls {
            #expect(call() == status)
            #expect(String(cString: playhead_last_error()).contains("/nowhere/film.mp4"))
        }
        var event = sized(\.struct_size, playhead_event())
        while playhead_next_event(rig.player, &event) == playhead_status(PLAYHEAD_OK) {
            #expect(Int(event.type) != PLAYHEAD_EVENT_SEEKED)
        }
    }

    @Test
    func `that were pending when media failed end with its error`() throws {
        let rig = try HostRig()
        // Nothing is known of the stream until its first bytes have been read.
        let host = StreamHost([UInt8](repeating: 1, count: 100), isHeld: true)
        var stream = host.stream
        try check(playhead_open_stream(rig.player, &stream, "film.mp4"))
        try check(playhead_seek(rig.player, 1_000_000_000, 0))
        host.release()
        let event = try #require(try rig.event(PLAYHEAD_EVENT_SEEKED))
        #expect(event.status == (try rig.state.failure))
        #expect(event.status < 0 && Int(event.status) != PLAYHEAD_CANCELLED)
        try check(playhead_close(rig.player))
        try eventually("the end of the stream") { host.isClosed }
    }

    @Test
    func `structures without a size and NULL are refused`() throws {
        let rig = try HostRig()
        let argument = playhead_status(PLAYHEAD_INVALID_ARGUMENT)
        var state = playhead_state()
        #expect(playhead_get_state(rig.player, &state) == argument)
        #expect(playhead_get_state(rig.player, nil) == argument)
        state.struct_size = UInt32.max
        #expect(playhead_get_state(rig.player, &state) == argument)
        // The structure of a later version is longer, and its remainder stays unchanged.
        var longer = (playhead_state(), UInt64(77))
        longer.0.struct_size = UInt32(MemoryLayout<playhead_state>.size + 8)
        _ = try withUnsafeMutablePointer(to: &longer.0) {
            try check(playhead_get_state(rig.player, $0))
        }
        #expect(longer.1 == 77)
        #expect(longer.0.struct_size == UInt32(MemoryLayout<playhead_state>.size + 8))
        #expect(playhead_open(rig.player, nil) == argument)
        #expect(playhead_create(nil, nil) == argument)
    }

    @Test
    func `with OpenGL fail without a context, with a message`() throws {
        let rig = try HostRig()
        var target = sized(\.struct_size, playhead_target())
        #expect(
            playhead_render(rig.player, &target, nil) == playhead_status(PLAYHEAD_INVALID_ARGUMENT))
        (target.framebuffer_width, target.framebuffer_height) = (64, 64)
        #expect(
            playhead_render(rig.player, &target, nil) == playhead_status(PLAYHEAD_WRONG_STATE))
        #expect(String(cString: playhead_last_error()!).contains("playhead_gl_init"))
        #expect(playhead_gl_deinit(rig.player) == playhead_status(PLAYHEAD_WRONG_STATE))
        #expect(playhead_gl_forget(rig.player) == playhead_status(PLAYHEAD_OK))
    }

    @Test
    func `calls from a callback are refused`() throws {
        final class Host: Sendable {}
        let rig = try HostRig()
        nonisolated(unsafe) let status = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        status.pointee = 0
        defer { status.deallocate() }
        try check(
            playhead_set_wakeup(
                rig.player,
                { user in
                    user?.assumingMemoryBound(to: Int32.self).pointee = playhead_gl_collect(nil)
                }, status))
        try check(playhead_open(rig.player, "/nowhere/film.mp4"))
        let event = try #require(try rig.event(PLAYHEAD_EVENT_ERROR))
        #expect(event.status == playhead_status(PLAYHEAD_CANNOT_OPEN))
        // An event may be taken before the callback for it is called.
        try eventually("the callback") { status.pointee != 0 }
        // After the exchange, the old callback is not running any more.
        try check(playhead_set_wakeup(rig.player, nil, nil))
        #expect(status.pointee == playhead_status(PLAYHEAD_WRONG_THREAD))
    }

    @Test
    func `effects are listed and their inputs set`() throws {
        let rig = try HostRig()
        let names = (0..<playhead_effect_library_count()).compactMap {
            playhead_effect_library_name($0).map { String(cString: $0) }
        }
        #expect(names.contains("chroma_key"))
        #expect(playhead_effect_library_name(UInt32.max) == nil)
        var effect: OpaquePointer?
        try check(playhead_effect_add(rig.player, "chroma_key", &effect))
        var inputs: [String: playhead_input_info] = [:]
        var info = sized(\.struct_size, playhead_input_info())
        var index: UInt32 = 0
        while playhead_effect_get_input(effect, index, &info) == 0 {
            let name = withUnsafeBytes(of: info.name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            inputs[name] = info
            index += 1
        }
        let tolerance = try #require(inputs["tolerance"])
        #expect(Int(tolerance.kind) == PLAYHEAD_INPUT_FLOAT)
        #expect(tolerance.value_count == 1)
        try check(playhead_effect_set(effect, "tolerance", [0.25], 1))
        var value: Float = 0
        try check(playhead_effect_get(effect, "tolerance", &value, 1))
        #expect(value == 0.25)
        let wrong = playhead_status(PLAYHEAD_EFFECT_WRONG_VALUE)
        #expect(playhead_effect_set(effect, "tolerance", [1, 2], 2) == wrong)
        #expect(playhead_effect_set(effect, "tolerance", [.nan], 1) == wrong)
        #expect(
            playhead_effect_set(effect, "nothing", [1], 1) == playhead_status(PLAYHEAD_NOT_FOUND))
        #expect(
            playhead_effect_add(rig.player, "no_such", &effect)
                == playhead_status(PLAYHEAD_NOT_FOUND))
        #expect(effect == nil)
        #expect(
            playhead_effect_add_source(rig.player, "no header", "mine", &effect)
                == playhead_status(PLAYHEAD_EFFECT_MALFORMED))
    }
}
