// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadPlayback
import PlayheadThreads
import PlayheadTime

/// The engine and the model side by side: applies the same events to both and compares the results.
///
/// Nothing depends on the speed of threads: after each event, and after each step of the clock, the
/// engine first does everything that the model says is possible.
final class ModelledPlayback {
    /// A difference between the engine and the model.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    /// The largest step of the clock, in item time, after which the threads are waited for. It is
    /// less than the duration of the frames that are decoded ahead.
    private static let longestStep = MediaTime(value: 1, timescale: 10)

    private let film: RandomFilm
    private var model: PlaybackModel
    private var counts = PlaybackTally()
    private let clock = ManualClock(time: MediaTime(value: 50, timescale: 1))
    private let sink: CaptureAudioSink?
    private let item: PlayerItem
    private let player: Player
    private let outputs = PlaybackEvent.outputs.map { _ in PlayerItemVideoOutput() }
    /// The outputs that are looked at after each event: one for each video track, and one without a
    /// track.
    private let watched: [(video: Int?, output: PlayerItemVideoOutput)]
    private let results = Monitor<[Int: [Bool]]>([:])
    private var seekCount = 0
    private var recording = ModelledRecording()
    /// The video tracks whose outputs have been added.
    private var added: Set<Int> = []
    /// Closed while seeks must not land.
    private let gate = Monitor(true)
    private let packets: PacketGate?

    /// Longer than any wait takes, in nanoseconds.
    private let patience: Int64

    init(_ film: RandomFilm, patienceSeconds: Int64) throws {
        patience = patienceSeconds * 1_000_000_000
        self.film = film
        var media = film.media
        media.faults.willSeek = { [gate] () throws(MediaError) in
            _ = gate.wait { $0 ? true : nil }
        }
        media.faults.willReceiveFrame = media.faults.willSeek
        let packets = film.kind == .remote ? PacketGate(arrived: film.arrived) : nil
        if let packets {
            media.transfer = TransferMonitor(clock: clock, isNetwork: true)
            media.faults.willReturnPacket = { packets.pass($0) }
        }
        self.packets = packets
        guard let modelFilm = ModelFilm(media) else { throw Difference(description: "no frames") }
        sink = film.hasSound ? CaptureAudioSink(clock: clock) : nil
        model = PlaybackModel(film: modelFilm, clock: clock.time)
        item = PlayerItem(asset: SyntheticAsset(media))
        if film.kind != .plain { item.audioMix = Self.mix(of: media) }
        watched = film.kind == .plain ? [] : Self.watchedOutputs(of: media)
        for (video, output) in watched where video ?? 0 <= film.shownVideos {
            item.add(output)
            if let video { added.insert(video) }
        }
        player = Player(audioSink: sink, masterClock: clock)
        player.automaticallyWaitsToMinimizeStalling = false
        player.replaceCurrentItem(with: item)
        guard item.waitForFirstPicture(nanoseconds: patience) else {
            throw Difference(description: "does not start")
        }
        for video in 0..<film.shownVideos { model.set(video: video + 1, isEnabled: true) }
        if film.arrived.isNumeric { model.arrive(before: film.arrived) }
        try settle()
    }

    deinit {
        player.replaceCurrentItem(with: nil)
        packets?.arrive(before: .positiveInfinity)
    }

    /// Returns a mix with a volume for each track, so that a sum shows which tracks are heard.
    private static func mix(of media: SyntheticMedia) -> AudioMix {
        AudioMix(
            inputParameters: media.sounds.indices.map { index in
                var parameters = AudioMixInputParameters(trackID: media.trackID(ofSound: index))
                parameters.setVolume(Float(ModelDevice.Block.weight(ofTrack: index)))
                return parameters
            })
    }

    private static func watchedOutputs(
        of media: SyntheticMedia
    ) -> [(video: Int?, output: PlayerItemVideoOutput)] {
        [(nil, PlayerItemVideoOutput())]
            + (0...media.furtherVideos.count).map { video in
                (video, PlayerItemVideoOutput(trackID: media.trackID(ofVideo: video)))
            }
    }

    /// The numbers of what has happened so far.
    var tally: PlaybackTally {
        var tally = counts
        (tally.stalls, tally.rounds) = (model.stallCount, model.loop.total)
        tally.samples = recording.sampleCount
        return tally
    }

    // MARK: Events

    func run(_ event: PlaybackEvent) throws {
        counts.events += 1
        guard allows(event) else { return }
        switch event {
        case .setRate(let rate):
            player.rate = rate
            model.setRate(rate)
        case .advance(let duration): try advance(by: duration)
        case .seek(let target, let before, let after):
            try seek(to: [target], toleranceBefore: before, toleranceAfter: after, isGated: false)
        case .overlappingSeeks(let targets): try seek(to: targets, isGated: true)
        case .cancelledSeeks(let targets): try seek(to: targets, isGated: true, isCancelled: true)
        case .steps(let counts):
            for count in counts {
                item.step(byCount: count)
                model.step(by: count)
            }
        case .declare(let rate, let time, let offset):
            let start = model.clock + offset
            player.setRate(rate, time: time ?? .invalid, atHostTime: start)
            model.declare(rate: rate, time: time.map { max($0, .zero) }, atClock: start)
            counts.declaredStarts += 1
        case .loop(let start, let end, let count):
            item.setLoop(from: start, to: end, count: count)
            model.setLoop(from: start, to: end, count: count)
        case .take(let output, let ahead):
            try take(output, at: model.isReverse ? model.time - ahead : model.time + ahead)
        case .draw(let output, let ahead):
            try draw(output, atClock: model.clock + ahead)
        case .add(let output):
            item.add(outputs[output])
            model.add(output)
        case .remove(let output):
            item.remove(outputs[output])
            model.remove(output)
        case .setVideo, .setSound, .selectSound:
            switchTrack(event)
            try settle()
            takeAgain()
        case .arrive(let duration):
            let time = arrival(after: duration)
            packets?.arrive(before: time)
            model.arrive(before: time)
        }
        try settle()
        try lookAhead()
    }

    /// Returns whether an event has one result. While packets are missing, some depend on what was
    /// read before, and a seek that waits for packets may delay those after it.
    private func allows(_ event: PlaybackEvent) -> Bool {
        switch event {
        case .take, .draw: return model.tracks.isVideoEnabled && model.pending == nil
        case .arrive: return !model.hasArrived && mayArrive
        case .setVideo(let video, _) where !mayJoin: return model.tracks.isKnown(video: video)
        case .setSound(let sound, _) where !mayJoin: return model.tracks.isKnown(sound: sound)
        case .selectSound where isRemote: return !model.isRunning
        default: break
        }
        guard !model.hasArrived else { return true }
        switch event {
        case .seek: return model.pending == nil
        case .overlappingSeeks(let targets): return model.pending == nil && targets.count == 1
        case .cancelledSeeks: return false
        case .setRate(let rate): return rate >= 0
        case .declare(let rate, let time, let offset):
            return rate > 0 && time == nil && offset >= .zero && model.pending == nil
                && !model.hasPlayedToEnd
        case .setVideo(let video, _): return model.tracks.isKnown(video: video)
        case .setSound(let sound, _): return model.tracks.isKnown(sound: sound)
        default: return true
        }
    }

    private var isRemote: Bool { packets != nil }

    /// A Boolean value that indicates whether a track may be enabled for the first time. Packets are
    /// read again for it, which takes time on a network.
    private var mayJoin: Bool { !(isRemote && model.isRunning) }

    /// A Boolean value that indicates whether no audio was missed that arrives now: the timeline is
    /// on hold, or far from the end of the media that has arrived.
    private var mayArrive: Bool {
        let lead = MediaTime(value: 1, timescale: 5) * max(1, model.rate)
        return !model.isRunning || model.heldSince != nil || model.dryTime - model.time > lead
    }

    /// Returns the time before which packets have arrived when some more have. Near the ends of
    /// tracks, the engine does not expect more of them. A declared timeline goes on, so that the rest
    /// arrives at once.
    private func arrival(after duration: MediaTime) -> MediaTime {
        let time = model.arrived + duration
        let last = film.media.duration - MediaTime(value: 2, timescale: 5)
        return model.isDeclared || time > last ? .positiveInfinity : time
    }

    private func switchTrack(_ event: PlaybackEvent) {
        counts.trackSwitches += 1
        switch event {
        case .setVideo(let video, let isEnabled):
            if added.insert(video).inserted {
                // This enables the track too.
                for watched in watched where watched.video == video { item.add(watched.output) }
                model.set(video: video, isEnabled: true)
            }
            item.tracks[film.media.trackID(ofVideo: video)].isEnabled = isEnabled
            model.set(video: video, isEnabled: isEnabled)
        case .setSound(let sound, let isEnabled):
            item.tracks[film.media.trackID(ofSound: sound)].isEnabled = isEnabled
            model.set(sound: sound, isEnabled: isEnabled)
        case .selectSound(let sound):
            guard let group = item.mediaSelectionGroup(for: .audible) else { return }
            item.select(sound.map { group.options[$0] }, in: group)
            model.select(sound: sound)
        default: break
        }
    }

    private func advance(by duration: MediaTime) throws {
        let end = model.clock + duration
        while model.clock < end {
            var target = min(end, model.nextEvent ?? end)
            if film.kind != .plain || sink != nil {
                let longest = Self.longestStep * (1 / max(1, model.rate.magnitude))
                target = min(target, model.clock + longest)
            }
            model.advance(to: target)
            if let sink { sink.advance(to: target) } else { clock.advance(to: target) }
            item.hasClockMoved()
            if target < end { try settle() }
        }
    }

    private func seek(
        to targets: [MediaTime], toleranceBefore: MediaTime = .zero,
        toleranceAfter: MediaTime = .zero, isGated: Bool, isCancelled: Bool = false
    ) throws {
        if isGated { gate.change { $0 = false } }
        defer { gate.change { $0 = true } }
        let before = model.pending == nil ? model.seenFrame : nil
        let origin = model.pending?.origin ?? model.time
        for (index, target) in targets.enumerated() {
            seekCount += 1
            let number = seekCount
            item.seek(
                to: target, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter
            ) { [results] hasLanded in
                results.change { $0[number, default: []].append(hasLanded) }
            }
            model.seek(
                to: target, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter,
                number: number)
            if isGated { try compareWhileSeeking(to: targets[...index], before: before) }
        }
        if isCancelled {
            item.cancelPendingSeeks()
            model.cancelSeeks()
            try compareWhileSeeking(to: (targets + [origin])[...], before: before)
        }
        gate.change { $0 = true }
        model.settle()
    }

    /// A pending seek is already at its target. The visible frame can differ until it finishes.
    private func compareWhileSeeking(to targets: ArraySlice<MediaTime>, before: Int?) throws {
        try compare("time while seeking", item.currentTime, areEqual) { $0.time }
        try compare("rate while seeking", player.rate) { $0.rate }
        let time = item.currentTime
        guard let before, let shown = item.pictureTime(at: time) else { return }
        let number = model.film.decodable.first { model.film.video.time(of: $0) == shown }
        let clamped = targets.map { max($0, .zero) }
        guard let number, model.maySee(number, before: before, whileSeekingTo: clamped) else {
            throw Difference(description: "\(shown) is visible while seeking to \(clamped)")
        }
    }

    // MARK: Outputs

    private func draw(_ output: Int, atClock clock: MediaTime) throws {
        guard model.taken[output] != nil else { return }
        try take(output, at: vsyncTime(of: output, atClock: clock))
    }

    private func vsyncTime(of output: Int, atClock clock: MediaTime) throws -> MediaTime {
        let time = outputs[output].itemTime(forHostTime: clock)
        try compare("item time at \(clock)", time, areEqual) { $0.time(atClock: clock) }
        model.note(vsyncTime: time, of: output)
        return time
    }

    private func take(_ output: Int, at time: MediaTime) throws {
        wait(forPictureAt: time)
        try compare("has new at \(time)", outputs[output].hasNewPixelBuffer(forItemTime: time)) {
            $0.hasNew(output, at: time)
        }
        let picture = outputs[output].copyPixelBuffer(forItemTime: time)
        let expected = model.take(output, at: time)
        try compare("frame at \(time)", picture?.displayTime) { model in
            expected.map { model.film.video.time(of: $0.frame) }
        }
    }

    /// Lets every output take the visible frame, which may be another object with the same content.
    private func takeAgain() {
        guard model.pending == nil, model.tracks.isVideoEnabled else { return }
        for (index, output) in outputs.enumerated() where model.taken[index] != nil {
            _ = output.copyPixelBuffer(forItemTime: model.time)
            _ = model.take(index, at: model.time)
        }
    }

    private func wait(forPictureAt time: MediaTime) {
        // Without its packets, the next frame does not come.
        guard model.hasArrived else { return }
        item.waitForPicture(at: time, nanoseconds: patience)
    }

    // MARK: Comparing

    /// Waits until the engine has done all its work, and has the state of the model.
    private func settle() throws {
        let deadline = HostClock.nanoseconds + patience
        while true {
            let wait = packets?.currentWait
            if wait != nil, item.demuxerMustMove { packets?.interrupt() }
            // If the reader has continued in the meantime, more packets may be on their way.
            let isIdle =
                item.isIdle(withheldPackets: wait != nil) && wait == packets?.currentWait
            do {
                try compare()
                if isIdle {
                    try compareFrames()
                    break
                }
            } catch let difference as Difference {
                guard HostClock.nanoseconds < deadline else {
                    throw Difference(description: "\(difference); \(item.pendingRequests)")
                }
            }
            guard HostClock.nanoseconds < deadline else {
                throw Difference(description: "works without end: \(item.pendingRequests)")
            }
            usleep(100)
        }
        wait(forPictureAt: model.time)
        if let sink, film.kind != .plain {
            if let difference = recording.compare(sink.runs, model) {
                throw Difference(description: difference)
            }
        }
    }

    private func compare() throws {
        try compare("time", item.currentTime, areEqual) { $0.time }
        try compare("status", PlaybackModel.Status(player.timeControlStatus)) { $0.status }
        try compare("rate", player.rate) { $0.rate }
        let state = item.state
        try compare("seeking", state.isSeeking) { $0.isSeeking }
        try compare("at end", state.hasPlayedToEnd) { $0.hasPlayedToEnd }
        try compare("ends", state.playedToEndCount) { $0.endCount }
        try compare("rounds", state.loop.total) { $0.loop.total }
        try compare("rounds left", state.loop.left) { $0.loop.left }
        try compare("stalls", state.stallCount) { $0.stallCount }
        try compare("enabled tracks", state.enabledTracks) { [media = film.media] model in
            let (videos, sounds) = model.tracks.enabled
            return Set(videos.map(media.trackID(ofVideo:)) + sounds.map(media.trackID(ofSound:)))
        }
        try compare("size", state.presentationSize == .zero) { !$0.tracks.isVideoEnabled }
        // The values that observers receive.
        let observed = player.state
        try compare("observed rate", observed.rate) { $0.rate }
        try compare("observed status", PlaybackModel.Status(observed.timeControlStatus)) {
            $0.status
        }
        let results = results.withLock { $0 }
        try compare("completions", results) { $0.results.mapValues { [$0] } }
    }

    private func compareFrames() throws {
        guard model.pending == nil else { return }
        for (video, output) in watched {
            let picture = output.copyPixelBuffer(forItemTime: model.time)
            let number = picture.flatMap { FrameNumberStrip.read(from: $0.0) }
            try compare("frame of video \(video.map { "\($0)" } ?? "any")", number) {
                $0.number(ofVideo: video)
            }
            counts.frames += 1
        }
    }

    /// Looks at the outputs now, and at the next vsync.
    private func lookAhead() throws {
        guard model.pending == nil, model.tracks.isVideoEnabled else { return }
        let coming = model.clock + MediaTime(value: 1, timescale: 60)
        for (index, output) in outputs.enumerated() {
            try compare(
                "output \(index) has new", output.hasNewPixelBuffer(forItemTime: model.time)
            ) {
                $0.hasNew(index, at: $0.time)
            }
            guard model.taken[index] != nil else { continue }
            _ = try vsyncTime(of: index, atClock: coming)
        }
    }

    /// Times that are not multiples of a suitable unit are rounded, in an order of steps that the
    /// model need not share. A timeline is held at a time of the clock, which is rounded too.
    private func areEqual(_ time: MediaTime, _ other: MediaTime) -> Bool {
        if time == other { return true }
        let isRounded = time.hasBeenRounded && other.hasBeenRounded
        return (isRounded || isRemote)
            && (time - other).magnitude <= MediaTime(nanoseconds: 1)
    }

    private func compare<Value: Equatable>(
        _ what: String, _ value: Value, _ areEqual: (Value, Value) -> Bool = { $0 == $1 },
        _ expected: (PlaybackModel) -> Value
    ) throws {
        let expected = expected(model)
        if !areEqual(value, expected) {
            throw Difference(description: "\(what): \(value), the model says \(expected)")
        }
    }
}

extension PlaybackModel.Status {
    fileprivate init(_ status: Player.TimeControlStatus) {
        self =
            switch status {
            case .paused: .paused
            case .waitingToPlayAtSpecifiedRate: .waiting
            case .playing: .playing
            }
    }
}
