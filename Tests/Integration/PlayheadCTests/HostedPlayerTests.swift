// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadPlayback
import PlayheadPulse
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadC

/// Calls that interrupt others.
@Suite("Concurrent C API calls")
struct HostedPlayerTests {
    private static func player(sound: Int = PLAYHEAD_AUDIO_NONE) throws -> HostedPlayer {
        HostedPlayer(try makeDevice(sound: sound))
    }

    private static func makeDevice(sound: Int) throws -> HostedDevice {
        try HostedDevice.make(
            clockMode: PLAYHEAD_CLOCK_TICK, clock: nil, clockUser: nil, audioMode: sound, rate: 0,
            channels: 0)
    }

    private static func asset() -> SyntheticAsset {
        SyntheticAsset(
            SyntheticMedia(
                frameTimes: SyntheticFrameTimes(
                    framesPerSecond: 25, duration: MediaTime(value: 2, timescale: 1)),
                sounds: []))
    }

    private static func device(_ player: HostedPlayer) -> Player {
        player.control.withLock { $0.device.player }
    }

    /// Returns the item that the host has open, and the one that its player plays.
    private static func items(
        _ player: HostedPlayer
    ) -> (opened: PlayerItem?, played: PlayerItem?) {
        (player.control.withLock { $0.film?.item }, device(player).currentItem)
    }

    /// Runs an action after the open video has been given up, and before its player gets another
    /// one.
    private static func whenNextIsOpened(
        _ player: HostedPlayer, _ body: @escaping @Sendable () -> Void
    ) {
        let isDone = Atomic(false)
        let token = ObservationToken(gate: ObservationGate()) {
            if !isDone.exchange(true, ordering: .relaxed) { body() }
        }
        player.control.withLock { control in
            guard control.film != nil else { return }
            control.film?.tokens.append(token)
        }
    }

    @Test
    func `a pause at the end of a loop iteration holds`() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        try player.setLoop(-1, start: 0, end: 60_000_000)
        _ = try player.waitForFrame(timeout: Self.timeout)
        player.play()
        _ = try player.waitForFrame(timeout: Self.timeout)
        #expect(Self.device(player).rate == 1)
        try player.tick(60_000_000)
        player.pause()
        _ = try player.waitForFrame(timeout: Self.timeout)
        #expect(Self.device(player).rate == 0)
        #expect(player.motion == (PLAYHEAD_PAUSED, 0))
        player.setRate(2)
        #expect(Self.device(player).rate == 0)
        player.play()
        #expect(Self.device(player).rate == 2)
        #expect(player.motion.rate == 2)
        player.setRate(0)
        #expect(Self.device(player).rate == 0)
        try player.start(at: 0, clockTime: 0, rate: 1)
        #expect(Self.device(player).rate == 1)
    }

    @Test
    func `a loop restarts only at the bound that it plays towards`() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        try player.setLoop(5, start: 800_000_000, end: 1_200_000_000)
        try player.seek(to: 1_600_000_000, mode: playhead_seek_mode(PLAYHEAD_SEEK_EXACT))
        player.setRate(-2)
        player.play()
        // The clock passes the end on the way, which is not a round. It stops exactly at the
        // bounds, since the next round may begin while the clock is still advancing.
        try Self.tick(player, 300_000_000, to: 1_000_000_000)
        #expect(player.iterationsLeft == 5)
        try Self.tick(player, 100_000_000, to: 1_200_000_000)
        #expect(player.iterationsLeft == 4)
        try Self.tick(player, 100_000_000, to: 1_000_000_000)
        #expect(player.iterationsLeft == 4)
        player.setRate(2)
        try Self.tick(player, 100_000_000, to: 800_000_000)
        #expect(player.iterationsLeft == 3)
    }

    @Test
    func `a loop iteration has exactly its frames`() throws {
        // At the end of the video, at another end, and at one beyond the end of the video.
        for (start, end, first, count) in [
            (0, noTime, 0, 50), (0, 120_000_000, 0, 3), (800_000_000, 1_000_000_000, 20, 5),
            (1_800_000_000, 9_000_000_000, 45, 5),
        ] as [(Int64, Int64, Int, Int)] {
            let player = try Self.player()
            try player.setLoop(-1, start: start, end: end)
            try player.open(Self.asset())
            _ = try player.waitForFrame(timeout: Self.timeout)
            try player.seek(to: start, mode: playhead_seek_mode(PLAYHEAD_SEEK_EXACT))
            player.play()
            var frames: [Int] = []
            for _ in 0..<count * 3 {
                #expect(try player.waitForFrame(timeout: Self.timeout).status == PLAYHEAD_OK)
                let picture = try #require(player.picture(at: 0))
                frames.append(Int(picture.displayTime.hosted / 40_000_000))
                try player.tick(40_000_000)
            }
            let round = Array(first..<first + count)
            #expect(frames == round + round + round)
        }
    }

    private static let timeout: Int64 = 120_000_000_000

    @Test
    func `a loop iteration in reverse has exactly its frames`() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        _ = try player.waitForFrame(timeout: Self.timeout)
        try player.setLoop(-1, start: 800_000_000, end: 1_000_000_000)
        try player.seek(to: 1_000_000_000, mode: playhead_seek_mode(PLAYHEAD_SEEK_EXACT))
        player.setRate(-1)
        player.play()
        var frames: Set<Int> = []
        for _ in 0..<20 {
            _ = try player.waitForFrame(timeout: Self.timeout)
            let picture = try #require(player.picture(at: 0))
            frames.insert(Int(picture.displayTime.hosted / 40_000_000))
            try player.tick(30_000_000)
        }
        #expect(frames == Set(20...24))
    }

    @Test
    func `waiting for a frame completes a step`() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        _ = try player.waitForFrame(timeout: Self.timeout)
        for start in [7, 30, 3, 44] as [Int64] {
            for (step, frame) in [(2, start + 2), (-1, start - 1), (-3, start - 3)] {
                try player.seek(to: start * 40_000_000, mode: 0)
                _ = try player.waitForFrame(timeout: Self.timeout)
                try player.step(Int32(step))
                _ = try player.waitForFrame(timeout: Self.timeout)
                #expect(player.picture(at: 0)?.displayTime.hosted == frame * 40_000_000)
            }
        }
    }

    @Test
    func `audio without video cannot be stepped`() throws {
        let player = try Self.player(sound: PLAYHEAD_AUDIO_PULL)
        let sound = SyntheticSound(duration: MediaTime(value: 2, timescale: 1))
        try player.open(SyntheticAsset(SyntheticMedia(frameTimes: nil, sounds: [sound])))
        let item = try player.film().item
        try eventually("the video") { item.status == .readyToPlay }
        for count in [3, -2] as [Int32] {
            try player.step(count)
            try eventually("the steps") { !item.state.isSeeking }
        }
        #expect(item.currentTime == .zero)
    }

    @Test
    func `an invalid loop is refused`() throws {
        let player = try Self.player()
        for (start, end) in [(0, 1), (500, 500), (500, 400), (-1, 400)] as [(Int64, Int64)] {
            #expect(throws: CallFailure.self) { try player.setLoop(-1, start: start, end: end) }
        }
        // No media is open yet.
        try player.setLoop(-1, start: 3_600_000_000_000, end: noTime)
        try player.open(Self.asset())
        _ = try player.waitForFrame(timeout: Self.timeout)
        #expect(throws: CallFailure.self) {
            try player.setLoop(-1, start: 2_000_000_000, end: noTime)
        }
        try player.setLoop(-1, start: 1_900_000_000, end: noTime)
        try player.setLoop(0, start: 3_600_000_000_000, end: noTime)
        // Without a loop, the range does not matter.
        try player.setLoop(0, start: 0, end: 0)
        #expect(player.iterationsLeft == 0)
    }

    @Test
    func `playback outside the loop ends in either direction`() throws {
        for rate in [1.0, -1] {
            let player = try Self.player()
            try player.setLoop(-1, start: 3_600_000_000_000, end: noTime)
            try player.open(Self.asset())
            _ = try player.waitForFrame(timeout: Self.timeout)
            try player.seek(to: 1_000_000_000, mode: 0)
            player.setRate(rate)
            player.play()
            for _ in 0..<30 {
                _ = try player.waitForFrame(timeout: Self.timeout)
                try player.tick(40_000_000)
            }
            _ = try player.waitForFrame(timeout: Self.timeout)
            var types: [Int] = []
            while let event = player.events.next() { types.append(event.type) }
            #expect(types.contains(PLAYHEAD_EVENT_ENDED))
            #expect(!types.contains(PLAYHEAD_EVENT_LOOPED))
            #expect(try player.film().item.hasPlayedToEnd)
        }
    }

    @Test(arguments: [1.0, -1])
    func `play at the end of the loop stays in the loop`(rate: Double) throws {
        let player = try Self.player()
        try player.setLoop(-1, start: 400_000_000, end: 600_000_000)
        try player.open(Self.asset())
        _ = try player.waitForFrame(timeout: Self.timeout)
        try player.seek(to: 500_000_000, mode: 0)
        player.setRate(rate)
        player.play()
        _ = try player.waitForFrame(timeout: Self.timeout)
        let item = try player.film().item
        // The notification of ends is held up.
        let isFree = Monitor(false)
        ObservationQueue.background.async { _ = isFree.wait { $0 ? true : nil } }
        try player.tick(120_000_000)
        try eventually("the end of a round") { item.loopProgress.done == 1 }
        #expect(player.motion.rate == rate)
        player.play()
        isFree.change { $0 = true }
        _ = try player.waitForFrame(timeout: Self.timeout)
        #expect(item.loopProgress.done == 1)
        #expect(item.currentTime.hosted == (rate > 0 ? 400_000_000 : 600_000_000))
    }

    @Test
    func `a loop set at the end of the media starts on play`() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        _ = try player.waitForFrame(timeout: Self.timeout)
        try player.seek(to: 1_900_000_000, mode: 0)
        player.play()
        _ = try player.waitForFrame(timeout: Self.timeout)
        try player.tick(200_000_000)
        let item = try player.film().item
        try eventually("the notification of the end") {
            item.hasPlayedToEnd && player.control.withLock { $0.film?.heardEnds } == 1
        }
        try player.setLoop(-1, start: 1_000_000_000, end: noTime)
        #expect(item.hasPlayedToEnd)
        #expect(player.transport == PLAYHEAD_PAUSED)
        player.play()
        _ = try player.waitForFrame(timeout: Self.timeout)
        #expect(item.currentTime.hosted == 1_000_000_000)
    }

    @Test
    func `in reverse a loop starts at its end or at an earlier end of the media`() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        _ = try player.waitForFrame(timeout: Self.timeout)
        let item = try player.film().item
        let inside = MediaTime(value: 1, timescale: 1)
        for (end, expected) in [
            (inside, inside), (.invalid, item.end), (MediaTime(value: 9, timescale: 1), item.end),
        ] {
            item.setLoop(from: .zero, to: end, count: -1)
            #expect(item.firstTime(inReverse: true) == expected)
            #expect(item.firstTime(inReverse: false) == .zero)
        }
    }

    @Test
    func `playback continues if its loop is removed at the end of an iteration`() throws {
        let player = try Self.player()
        try player.setLoop(1, start: 0, end: 400_000_000)
        try player.open(Self.asset())
        player.play()
        for frame in 0..<30 {
            _ = try player.waitForFrame(timeout: Self.timeout)
            let expected = Int64(frame < 10 ? frame : frame - 10)
            #expect(player.picture(at: 0)?.displayTime.hosted == expected * 40_000_000)
            try player.tick(40_000_000)
        }
    }

    @Test(arguments: [400_000_000, noTime])
    func `a loop that is removed after an iteration leaves the rest to play`(end: Int64) throws {
        let player = try Self.player()
        try player.setLoop(-1, start: 0, end: end)
        try player.open(Self.asset())
        _ = try player.waitForFrame(timeout: Self.timeout)
        try player.seek(to: end == noTime ? 1_900_000_000 : 300_000_000, mode: 0)
        player.play()
        _ = try player.waitForFrame(timeout: Self.timeout)
        try player.tick(120_000_000)
        _ = try player.waitForFrame(timeout: Self.timeout)
        try player.setLoop(0, start: 0, end: noTime)
        for frame in 0..<15 as Range<Int64> {
            _ = try player.waitForFrame(timeout: Self.timeout)
            #expect(player.picture(at: 0)?.displayTime.hosted == frame * 40_000_000)
            try player.tick(40_000_000)
        }
        var types: [Int] = []
        while let event = player.events.next() { types.append(event.type) }
        #expect(types.filter { $0 == PLAYHEAD_EVENT_LOOPED }.count == 1)
        #expect(!types.contains(PLAYHEAD_EVENT_ENDED))
    }

    @Test func `media that is opened later has the iterations that are left`() throws {
        let player = try Self.player()
        try player.setLoop(3, start: 0, end: 200_000_000)
        try player.open(Self.asset())
        player.play()
        for _ in 0..<6 {
            _ = try player.waitForFrame(timeout: Self.timeout)
            try player.tick(40_000_000)
        }
        #expect(player.iterationsLeft == 2)
        try player.open(Self.asset())
        #expect(player.iterationsLeft == 2)
        #expect(try player.film().item.loopProgress.done == 0)
        player.close()
        #expect(player.iterationsLeft == 2)
    }

    @Test
    func `settings survive an exchange of the clock or the audio`() throws {
        let player = try Self.player()
        player.play()
        player.setRate(2)
        try player.exchangeDevice { _ in try Self.makeDevice(sound: PLAYHEAD_AUDIO_PULL) }
        #expect(Self.device(player).rate == 2)
        try player.open(Self.asset())
        try eventually("playing") { player.transport == PLAYHEAD_PLAYING }
        player.pause()
        player.close()
        try player.exchangeDevice { _ in try Self.makeDevice(sound: PLAYHEAD_AUDIO_NONE) }
        #expect(Self.device(player).rate == 0)
    }

    @Test
    func `a seek beyond the end lands at the end`() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        _ = try player.waitForFrame(timeout: Self.timeout)
        try player.seek(to: 100_000_000_000, mode: 0)
        try eventually("the seek") {
            while let event = player.events.next() {
                guard event.type == PLAYHEAD_EVENT_SEEKED else { continue }
                #expect(event.time == 2_000_000_000)
                #expect(event.value == 100_000_000_000)
                return true
            }
            return false
        }
    }

    @Test
    func `a seek to unreadable data ends with the error`() throws {
        let hasSought = Atomic(false)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 25, duration: MediaTime(value: 60, timescale: 1)),
            sounds: [])
        media.keyframeInterval = 25
        media.faults.willSeek = { () throws(MediaError) in
            hasSought.store(true, ordering: .relaxed)
        }
        media.faults.willReadPacket = { _ throws(MediaError) in
            guard hasSought.load(ordering: .relaxed) else { return }
            throw MediaError(.damaged, subject: "film", cause: "it is torn", remedy: "mend it")
        }
        let player = try Self.player()
        try player.open(SyntheticAsset(media))
        _ = try player.waitForFrame(timeout: Self.timeout)
        try player.seek(to: 50_000_000_000, mode: 0)
        try eventually("the seek") {
            while let event = player.events.next() {
                guard event.type == PLAYHEAD_EVENT_SEEKED else { continue }
                #expect(event.status == PLAYHEAD_DAMAGED)
                #expect(event.text.contains("it is torn"))
                return true
            }
            return false
        }
    }

    /// Ticks once the player runs, and waits until it has reached a time.
    private static func tick(_ player: HostedPlayer, _ delta: Int64, to time: Int64) throws {
        let item = try player.film().item
        try eventually("playing") {
            player.transport == PLAYHEAD_PLAYING && !item.state.isSeeking
        }
        try player.tick(delta)
        try eventually("\(time) ns, not \(item.currentTime)") {
            !item.state.isSeeking && item.currentTime.hosted == time
        }
        // Notifications on the way arrive there.
        let isHeard = Monitor(false)
        ObservationQueue.background.async { isHeard.change { $0 = true } }
        isHeard.wait { $0 ? true : nil }
    }

    @Test
    func `inaudible media reports the reason, and media without audio does not`() throws {
        var options = PulseAudioOptions()
        options.server = "unix:/nonexistent/native"
        for hasSound in [true, false] {
            var device = HostedDevice()
            device.player = Player(
                audioSink: PulseAudioSink(connectingInBackground: options))
            let player = HostedPlayer(device)
            let sound = SyntheticSound(duration: MediaTime(value: 2, timescale: 1))
            let times = SyntheticFrameTimes(
                framesPerSecond: 25, duration: MediaTime(value: 2, timescale: 1))
            try player.open(
                SyntheticAsset(
                    SyntheticMedia(frameTimes: times, sounds: hasSound ? [sound] : [])))
            let isReady = try player.waitForFrame(timeout: Self.timeout).status == PLAYHEAD_OK
            #expect(isReady)
            #expect(hasSound || device.player.audioError == nil)
            guard hasSound else { continue }
            let warning = try eventually("the warning") {
                player.events.next().flatMap { $0.type == PLAYHEAD_EVENT_WARNING ? $0 : nil }
            }
            #expect(warning.status == PLAYHEAD_NO_AUDIO_DEVICE)
            #expect(warning.text.contains("/nonexistent/native"))
            #expect(device.player.audioError?.code == .noServer)
        }
    }

    @Test
    func `closing removes events of the media except errors and transport changes`()
        throws
    {
        let player = try Self.player()
        func note(of item: PlayerItem) {
            for type in PLAYHEAD_EVENT_READY...PLAYHEAD_EVENT_TRACKS { player.note(type, of: item) }
        }
        func waiting(of item: PlayerItem) -> [Int] {
            var types: [Int] = []
            while let event = player.events.next() {
                if event.item == ObjectIdentifier(item) { types.append(event.type) }
            }
            return types
        }
        try player.open(Self.asset())
        let first = try player.film().item
        try eventually("the video") { first.status == .readyToPlay }
        note(of: first)
        try player.open(Self.asset())
        #expect(
            Set(waiting(of: first)) == [PLAYHEAD_EVENT_ERROR, PLAYHEAD_EVENT_TRANSPORT])
        // A late notification has no effect.
        note(of: first)
        #expect(waiting(of: first) == [])
        let second = try player.film().item
        note(of: second)
        player.close()
        #expect(
            Set(waiting(of: second)) == [PLAYHEAD_EVENT_ERROR, PLAYHEAD_EVENT_TRANSPORT])
        note(of: second)
        #expect(waiting(of: second) == [])
    }

    @Test
    func `media closed during opening does not play`() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        player.play()
        Self.whenNextIsOpened(player) { player.close() }
        try player.open(Self.asset())
        let items = Self.items(player)
        #expect(items.opened == nil)
        #expect(items.played == nil)
        try player.open(Self.asset())
        #expect(Self.items(player).played === (try player.film().item))
    }

    @Test
    func `if two files are opened at once, the open one plays`() throws {
        let player = try Self.player()
        try player.open(Self.asset())
        let last = Self.asset()
        Self.whenNextIsOpened(player) { try? player.open(last) }
        try player.open(Self.asset())
        let items = Self.items(player)
        #expect(items.opened?.asset === last)
        #expect(items.played === items.opened)
        try eventually("the video") { items.played?.status == .readyToPlay }
    }

    @Test
    func `the open media plays, however many threads open and close`() throws {
        let player = try Self.player()
        let threads = (0..<3).map { number in
            WorkerThread(name: "host \(number)") {
                for round in 0..<40 {
                    if (number + round).isMultiple(of: 3) {
                        player.close()
                    } else {
                        try? player.open(Self.asset())
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        let items = Self.items(player)
        #expect(items.played === items.opened)
        try player.open(Self.asset())
        let film = try player.film()
        #expect(Self.items(player).played === film.item)
        try eventually("the video") { film.item.status == .readyToPlay }
    }

    @Test
    func `if the event queue is full, the oldest events are dropped`() {
        let queue = EventQueue()
        for time in Int64(0)..<80 {
            queue.append(EventQueue.Event(type: PLAYHEAD_EVENT_SEEKED, time: time))
        }
        queue.append(EventQueue.Event(type: PLAYHEAD_EVENT_ENDED))
        queue.append(EventQueue.Event(type: PLAYHEAD_EVENT_ERROR))
        var events: [EventQueue.Event] = []
        while let event = queue.next() { events.append(event) }
        #expect(events.count == 64)
        #expect(events.suffix(2).map(\.type) == [PLAYHEAD_EVENT_ENDED, PLAYHEAD_EVENT_ERROR])
        #expect(events.dropLast(2).map(\.time) == Array(18..<80))
        #expect(queue.lostCount == 18)
    }

    @Test
    func `a drawing problem has the status of its cause`() {
        let effect = EffectError.unreadable(path: "x.fs", reason: "it is gone")
        #expect(
            CallFailure(RenderReport.Problem.effect(effect)).status == CallFailure(effect).status)
        #expect(
            CallFailure(RenderReport.Problem.gl(.contextLost)).status
                == playhead_status(PLAYHEAD_CONTEXT_LOST))
    }
}
