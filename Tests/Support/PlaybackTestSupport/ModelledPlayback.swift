// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadPlayback
import PlayheadThreads
import PlayheadTime

/// The engine and the model side by side: applies the same events to both and compares the results.
///
/// Nothing depends on the speed of threads: after each event, conditions derived from the model's
/// state wait until the engine has decoded the required frames.
final class ModelledPlayback {
    /// A difference between the engine and the model.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private let film: RandomFilm
    private var model: PlaybackModel
    private let clock = ManualClock(time: MediaTime(value: 50, timescale: 1))
    private let sink: CaptureAudioSink?
    private let item: PlayerItem
    private let player: Player
    private let outputs = PlaybackEvent.outputs.map { _ in PlayerItemVideoOutput() }
    /// Closed while seeks must not land.
    private let gate = Monitor(true)

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
        guard let modelFilm = ModelFilm(media) else { throw Difference(description: "no frames") }
        sink = film.hasSound ? CaptureAudioSink(clock: clock) : nil
        model = PlaybackModel(
            film: modelFilm, startDelay: sink?.latency ?? .zero, clock: clock.time)
        item = PlayerItem(asset: SyntheticAsset(media))
        player = Player(playerItem: item, audioSink: sink, masterClock: clock)
        guard item.waitForFirstPicture(nanoseconds: patience) else {
            throw Difference(description: "does not start")
        }
    }

    deinit { player.replaceCurrentItem(with: nil) }

    func run(_ event: PlaybackEvent) throws {
        switch event {
        case .setRate(let rate):
            player.rate = rate
            model.setRate(rate)
        case .advance(let duration):
            model.advance(by: duration)
            if let sink { sink.advance(to: model.clock) } else { clock.advance(to: model.clock) }
            item.hasClockMoved()
        case .seek(let target, let before, let after):
            try seek(to: [target], toleranceBefore: before, toleranceAfter: after, isGated: false)
        case .overlappingSeeks(let targets):
            try seek(to: targets, isGated: true)
        case .cancelledSeeks(let targets):
            try seek(to: targets, isGated: true, isCancelled: true)
        case .steps(let counts):
            for count in counts {
                item.step(byCount: count)
                model.step(by: count)
            }
        case .declare(let rate, let time, let offset):
            let start = model.clock + offset
            player.setRate(rate, time: time ?? .invalid, atHostTime: start)
            model.declare(rate: rate, time: time.map { max($0, .zero) }, atClock: start)
        case .take(let output, let ahead):
            try take(output, at: model.time + (model.direction == .forward ? ahead : -ahead))
        case .draw(let output, let ahead):
            try draw(output, atClock: model.clock + ahead)
        case .add(let output):
            item.add(outputs[output])
            model.add(output)
        case .remove(let output):
            item.remove(outputs[output])
            model.remove(output)
        }
        try settle()
        try compare()
    }

    private func seek(
        to targets: [MediaTime], toleranceBefore: MediaTime = .zero,
        toleranceAfter: MediaTime = .zero, isGated: Bool, isCancelled: Bool = false
    ) throws {
        if isGated { gate.change { $0 = false } }
        defer { gate.change { $0 = true } }
        let results = Monitor<[[Bool]]>(targets.map { _ in [] })
        let (before, origin) = (model.seenFrame, model.time)
        for (index, target) in targets.enumerated() {
            item.seek(
                to: target, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter
            ) { landed in
                results.change { $0[index].append(landed) }
            }
            model.seek(
                to: target, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter)
            if isGated { try compareWhileSeeking(to: targets[...index], before: before) }
        }
        if isCancelled {
            item.cancelPendingSeeks()
            model.seek(to: origin)
            try compareWhileSeeking(to: (targets + [origin])[...], before: before)
        }
        gate.change { $0 = true }
        let all = results.wait(nanoseconds: patience) { results in
            results.contains(where: \.isEmpty) ? nil : results
        }
        model.land()
        let wanted = targets.indices.map { [$0 == targets.count - 1 && !isCancelled] }
        if all != wanted {
            throw Difference(description: "completions: \(all ?? []), not \(wanted)")
        }
    }

    /// A pending seek is already at its target. The visible frame can differ until it finishes.
    private func compareWhileSeeking(to targets: ArraySlice<MediaTime>, before: Int?) throws {
        try compare("time while seeking", item.currentTime, Self.areEqual) { $0.time }
        try compare("rate while seeking", player.rate) { $0.rate }
        let time = item.currentTime
        guard let shown = item.pictureTime(at: time) else { return }
        let number = model.film.decodable.first { model.film.times.time(of: $0) == shown }
        let clamped = targets.map { max($0, .zero) }
        guard let number, model.maySee(number, before: before, whileSeekingTo: clamped) else {
            throw Difference(description: "\(shown) is visible while seeking to \(clamped)")
        }
    }

    private func draw(_ output: Int, atClock clock: MediaTime) throws {
        guard model.taken[output] != nil else { return }
        try take(output, at: vsyncTime(of: output, atClock: clock))
    }

    private func vsyncTime(of output: Int, atClock clock: MediaTime) throws -> MediaTime {
        let time = outputs[output].itemTime(forHostTime: clock)
        try compare("item time at \(clock)", time, Self.areEqual) { $0.time(atClock: clock) }
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
            expected.map { model.film.times.time(of: $0.frame) }
        }
    }

    /// Waits until the engine has finished all its work.
    private func settle() throws {
        let time = model.time
        let isSettled = item.waitUntilSettled(
            isRunning: model.status == .playing, endCount: model.endCount, nanoseconds: patience
        ) { Self.areEqual($0, time) }
        if !isSettled {
            throw Difference(
                description: "does not reach \(time), stays at \(item.currentTime): "
                    + item.pendingRequests)
        }
        wait(forPictureAt: time)
    }

    private func wait(forPictureAt time: MediaTime) {
        item.waitForPicture(at: time, nanoseconds: patience)
    }

    private func compare() throws {
        try compare("time", item.currentTime, Self.areEqual) { $0.time }
        try compare("status", player.timeControlStatus) { $0.status }
        try compare("rate", player.rate) { $0.rate }
        try compare("at end", item.hasPlayedToEnd) { $0.hasPlayedToEnd }
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
    /// model need not share.
    private static func areEqual(_ time: MediaTime, _ other: MediaTime) -> Bool {
        if time == other { return true }
        return time.hasBeenRounded && other.hasBeenRounded
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
