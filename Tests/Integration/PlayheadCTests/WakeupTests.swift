// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import GraphicsTestSupport
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadGL
import PlayheadPlayback
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadC

/// A host that requests frames when it is woken, and at no other time.
@Suite(
    "Host wakeups", .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct WakeupTests {
    /// The way in which a host requests frames.
    enum Way: CaseIterable {
        case framebuffer, texture, memory, asking
    }

    /// A video that plays on a ticked clock, and the number of wakeups of its host.
    private final class Host {
        let rig: HostRig
        private let framebuffer: GLFramebuffer
        private let count = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: 1)

        init(_ context: any GLContext) throws {
            count.initialize(to: Atomic(0))
            rig = try HostRig()
            framebuffer = try GLFramebuffer(width: 320, height: 180, context: context)
            try check(playhead_gl_init(rig.player, nil))
        }

        deinit {
            _ = playhead_gl_deinit(rig.player)
            _ = playhead_set_wakeup(rig.player, nil, nil)
            count.deinitialize(count: 1)
            count.deallocate()
        }

        func setWakeup() throws {
            try check(playhead_set_wakeup(rig.player, WakeupTests.counting, count))
        }

        /// Returns the number of wakeups for everything that has happened so far.
        func wakeups() -> Int {
            // The request notifies on that queue, and wakes the host there later.
            for _ in 0..<2 { WakeupTests.settle() }
            return count.pointee.load(ordering: .relaxed)
        }

        /// Waits until the host has been woken more often than `count` times.
        func waitForWakeup(after count: Int) throws {
            try eventually("a wakeup") { wakeups() > count }
        }

        func play() throws {
            try check(playhead_play(rig.player))
            // Drains other causes of wakeups: from now on only frames cause them.
            var transport: Int64?
            while transport != Int64(PLAYHEAD_PLAYING) {
                transport = try #require(try rig.event(PLAYHEAD_EVENT_TRANSPORT)).value
            }
            WakeupTests.settle()
        }

        func step() throws {
            try check(playhead_tick(rig.player, HostRig.frameDuration))
            try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
        }

        /// Requests the frame that is due, and returns its time.
        func look(_ way: Way) throws -> Int64 {
            switch way {
            case .framebuffer: return try draw().frame_time
            case .texture:
                let texture = try acquire()
                try check(playhead_release_texture(rig.player, texture.lease, nil))
                return texture.frame_time
            case .memory:
                var frame = sized(\.struct_size, playhead_frame())
                try check(playhead_map_frame(rig.player, 0, &frame))
                try check(playhead_unmap_frame(rig.player, frame.lease))
                return frame.frame_time
            case .asking:
                var isNew: Int32 = 0
                try check(playhead_has_new_frame(rig.player, &isNew))
                guard isNew != 0 else { return noTime }
                let time = try draw().frame_time
                // A frame that is not drawn because it is not new is awaited as well.
                try check(playhead_has_new_frame(rig.player, &isNew))
                #expect(isNew == 0)
                return time
            }
        }

        func draw() throws -> playhead_render_result {
            var target = sized(\.struct_size, playhead_target())
            target.framebuffer = framebuffer.name
            (target.framebuffer_width, target.framebuffer_height) = (320, 180)
            var result = sized(\.struct_size, playhead_render_result())
            try check(playhead_render(rig.player, &target, &result))
            return result
        }

        func acquire() throws -> playhead_texture {
            var texture = sized(\.struct_size, playhead_texture())
            try check(playhead_acquire_texture(rig.player, nil, &texture))
            return texture
        }
    }

    /// Increments the atomic number that it gets.
    private static let counting: playhead_wakeup = { user in
        user?.assumingMemoryBound(to: Atomic<Int>.self).pointee.add(1, ordering: .relaxed)
    }

    /// Waits until all notifications of the library have arrived.
    private static func settle() {
        let isDone = Monitor(false)
        ObservationQueue.background.async { isDone.change { $0 = true } }
        isDone.wait { $0 ? true : nil }
    }

    private func withHost(_ body: (Host) throws -> Void) throws {
        let film = try HostRig.film()
        try GraphicsTest.withContext { context in
            let host = try Host(context)
            try host.rig.open(film)
            try body(host)
        }
    }

    @Test(arguments: Way.allCases)
    func `a host is woken once for each frame`(way: Way) throws {
        try withHost { host in
            try host.play()
            try host.setWakeup()
            // The first frame is already there.
            try host.waitForWakeup(after: 0)
            for frame in 0..<6 {
                #expect(try host.look(way) == Int64(frame) * HostRig.frameDuration)
                let before = host.wakeups()
                // A frame that the host has taken causes no wakeup.
                #expect(host.wakeups() == before)
                try host.step()
                try host.waitForWakeup(after: before)
                #expect(host.wakeups() == before + 1)
            }
        }
    }

    @Test
    func `never within a call of the host, which may hold a lock`() throws {
        final class Host: Sendable {
            let lock = Mutex(())
            let count = Atomic(0)
        }
        let host = Host()
        let wakeup = WakeupCallback()
        wakeup.set(
            { user in
                guard let user else { return }
                let host = Unmanaged<Host>.fromOpaque(user).takeUnretainedValue()
                host.lock.withLock { _ in _ = host.count.add(1, ordering: .relaxed) }
            }, user: Unmanaged.passUnretained(host).toOpaque())
        host.lock.withLock { _ in wakeup.call() }
        try eventually("the call") { host.count.load(ordering: .relaxed) == 1 }
        wakeup.set(nil, user: nil)
    }

    @Test
    func `a host is woken for the first frame and for that of a seek`() throws {
        let count = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: 1)
        count.initialize(to: Atomic(0))
        // A callback that only the frames of this video call.
        let wakeup = WakeupCallback()
        wakeup.set(Self.counting, user: count)
        defer {
            wakeup.set(nil, user: nil)
            count.deinitialize(count: 1)
            count.deallocate()
        }
        let player = Player(audioSink: nil, masterClock: ManualClock())
        let film = HostedPlayer.Film(
            SyntheticAsset(
                SyntheticMedia(
                    frameTimes: SyntheticFrameTimes(
                        framesPerSecond: 25, duration: MediaTime(value: 2, timescale: 1)),
                    sounds: [])), wakeup: wakeup)
        film.outputs.watch.begin()
        player.replaceCurrentItem(with: film.item)
        try eventually("the first frame") { count.pointee.load(ordering: .relaxed) == 1 }
        #expect(film.outputs.texture.copyPixelBuffer(forItemTime: .zero) != nil)
        film.outputs.watch.look(at: .texture)
        film.item.seek(to: MediaTime(value: 1, timescale: 1))
        try eventually("the frame of the seek") { count.pointee.load(ordering: .relaxed) == 2 }
        #expect(film.outputs.texture.hasNewPixelBuffer(forItemTime: film.item.currentTime))
    }

    @Test
    func `not while the player is hidden, and afterwards for the due frame`() throws {
        try withHost { host in
            try host.play()
            #expect(try host.look(.framebuffer) == 0)
            try check(playhead_set_visible(host.rig.player, 0))
            try host.setWakeup()
            try host.step()
            try host.waitForWakeup(after: 0)
            let before = host.wakeups()
            for _ in 0..<3 {
                _ = try host.draw()
                try host.step()
            }
            #expect(host.wakeups() == before)
            try check(playhead_set_visible(host.rig.player, 1))
            try host.waitForWakeup(after: before)
            #expect(try host.look(.framebuffer) == 4 * HostRig.frameDuration)
        }
    }

    @Test
    func `a host is woken for a frame without a texture once one is free`() throws {
        try withHost { host in
            try host.play()
            try host.setWakeup()
            var leases: [UInt64] = []
            for _ in 0..<3 {
                leases.append(try host.acquire().lease)
                try host.step()
            }
            #expect(throws: CallError.self) { _ = try host.acquire() }
            let before = host.wakeups()
            #expect(host.wakeups() == before)
            try check(playhead_release_texture(host.rig.player, leases[0], nil))
            try host.waitForWakeup(after: before)
            #expect(try host.acquire().frame_time == 3 * HostRig.frameDuration)
        }
    }
}
