// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Synchronization

/// Reads the subtitles of one track ahead of a playhead, on a thread and by a demuxer of its own.
///
/// So the film's own queues know nothing of tracks that have a packet a minute, subtitles can be
/// chosen at any time without disturbing what plays, and backwards costs no more than forwards. A
/// file of subtitles alone is read as a whole.
///
/// - Concurrency: any thread. The lock is held for as long as it takes to look through the cues.
/// - Lifetime: until `close()`.
final class SubtitleFeed: Sendable {
    /// How much is read ahead, and how much before where a jump leads to: lines are shown for some
    /// seconds, and signs for longer.
    static let ahead = MediaTime(value: 30, timescale: 1)
    static let preroll = MediaTime(value: 10, timescale: 1)

    struct State {
        var store = SubtitleStore()
        var error: MediaError?
        /// What has been read in one go: from where to where.
        var run: (start: MediaTime, end: MediaTime)?
        /// Whether nothing more is read.
        var isOver = false
        var isClosed = false
        /// Whether the timeline has moved otherwise than by playing, or to where that was asked for.
        var isMoved = true
        /// Where somebody waits for what is shown, though the playhead is elsewhere.
        var wanted = MediaTime.invalid
    }

    let state = Monitor(State())
    private let asset: Asset
    private let trackID: Int?
    private let timebase: Timebase
    private let onChange: @Sendable () -> Void
    private let cancellation = Cancellation()
    private let watches = Mutex<(observation: TimebaseObservation, timer: TimebaseTimer)?>(nil)

    /// - Parameters:
    ///   - trackID: nil for the first track of subtitles of an asset that holds nothing else.
    ///   - onChange: called, on the feed's thread, when there is more to be shown.
    init(
        asset: Asset, trackID: Int?, timebase: Timebase, onChange: @escaping @Sendable () -> Void
    ) {
        self.asset = asset
        self.trackID = trackID
        self.timebase = timebase
        self.onChange = onChange
        let wake: @Sendable () -> Void = { [weak self] in
            self?.state.change { $0.isMoved = true }
        }
        watches.withLock {
            $0 = (
                timebase.observe { _ in wake() }, timebase.addTimer(at: .invalid) { _ in wake() }
            )
        }
        _ = WorkerThread(name: "ph-subtitle") { self.run() }
    }

    func close() {
        cancellation.cancel()
        let watches = watches.withLock { watches in
            defer { watches = nil }
            return watches
        }
        watches?.observation.cancel()
        watches?.timer.cancel()
        state.change { $0.isClosed = true }
    }

    /// Waits until what is shown at a time has been read, or cannot be: for rendering that is not bound
    /// to real time.
    func waitUntilRead(_ time: MediaTime, nanoseconds: Int64) {
        state.change { state in
            state.wanted = time
            state.isMoved = true
        }
        _ = state.wait(nanoseconds: nanoseconds) { state -> Bool? in
            if state.isOver || state.isClosed { return true }
            guard let run = state.run else { return nil }
            return run.start <= time && run.end > time ? true : nil
        }
        state.withLock { $0.wanted = .invalid }
    }

    // MARK: The thread

    private func run() {
        do {
            let reader = try SubtitleReader(
                asset: asset, trackID: trackID, cancellation: cancellation)
            state.change { state in
                state.store = SubtitleStore(limits: reader.limits)
                state.store.script = reader.script
            }
            if trackID == nil {
                try readAll(reader)
            } else {
                try follow(reader)
            }
        } catch {
            state.change { $0.error = error }
        }
        state.change { $0.isOver = true }
        onChange()
    }

    private func readAll(_ reader: SubtitleReader) throws(MediaError) {
        while let step = try reader.read() {
            if take(step) { return }
        }
        state.change { $0.run = (.negativeInfinity, .positiveInfinity) }
    }

    private func follow(_ reader: SubtitleReader) throws(MediaError) {
        while true {
            switch nextNeed() {
            case .closed: return
            case .more: break
            case .jump(let start):
                try reader.seek(to: start)
                state.change { state in
                    state.run = (start, start)
                    state.store.jump()
                }
            }
            guard let step = try reader.read() else {
                state.change { $0.run?.end = .positiveInfinity }
                onChange()
                continue
            }
            if take(step) { return }
            if !step.cues.isEmpty { onChange() }
        }
    }

    /// Keeps what was read; true when nothing more can be kept, or is wanted.
    private func take(_ step: SubtitleReader.Step) -> Bool {
        state.change { state in
            state.store.add(step.cues)
            if let error = step.error { state.error = error }
            if step.time.isNumeric, let run = state.run, step.time > run.end {
                state.run?.end = step.time
            }
            return state.isClosed || (state.store.isFull && state.store.pictures.isEmpty)
        }
    }

    /// What there is to read.
    private enum Need {
        /// What comes next.
        case more
        /// What is elsewhere, from a time on.
        case jump(MediaTime)
        case closed
    }

    /// Waits until there is something to read.
    private func nextNeed() -> Need {
        state.wait { state -> Need? in
            if state.isClosed { return .closed }
            var (time, rate) = timebase.timeAndRate
            if state.wanted.isNumeric { time = state.wanted }
            guard time.isNumeric else { return nil }
            guard let run = state.run else { return .jump(time - Self.preroll) }
            // Backwards, what lies before is read in time; reading then goes over what is known.
            let isShort = rate < 0 && run.start > .zero && time - run.start < Self.preroll
            if time < run.start || isShort { return .jump(time - Self.ahead - Self.preroll) }
            if run.end.isNumeric {
                if time > run.end + Self.preroll { return .jump(time - Self.preroll) }
                if run.end - time < Self.ahead { return .more }
            }
            // Enough: it looks again when half of that has been played.
            if state.isMoved {
                state.isMoved = false
                watches.withLock { $0?.timer }?.fireTime = Self.nextLook(after: run, rate: rate)
            }
            return nil
        }
    }

    /// Where playing on leads to the half of what has been read; no time where nothing is left to be
    /// read there. A time that has been passed would wake the thread at once, and so without end.
    static func nextLook(after run: (start: MediaTime, end: MediaTime), rate: Double) -> MediaTime {
        if rate >= 0 { return run.end - ahead * 0.5 }
        return run.start > .zero ? run.start + preroll : .invalid
    }
}
