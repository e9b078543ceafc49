// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Synchronization

/// A reader of the subtitles of a track, ahead of the playhead. It has its own thread and its own
/// demuxer.
///
/// The item's queues therefore do not depend on a track with one packet per minute, selecting
/// subtitles does not disturb playback, and reverse playback costs no more than forward playback. A
/// file that contains only subtitles is read as a whole.
///
/// - Concurrency: any thread. The lock is held during a search of the cues.
/// - Lifetime: until `close()`.
final class SubtitleFeed: Sendable {
    /// The duration that is read ahead, and the duration that is read before the target of a jump.
    /// Lines are shown for some seconds, and signs for longer.
    static let ahead = MediaTime(value: 30, timescale: 1)
    static let preroll = MediaTime(value: 10, timescale: 1)

    struct State {
        var store = SubtitleStore()
        var error: MediaError?
        /// The range that has been read without a jump.
        var run: (start: MediaTime, end: MediaTime)?
        /// A Boolean value that indicates whether reading has ended.
        var isOver = false
        var isClosed = false
        /// A Boolean value that indicates whether the timeline has jumped or changed, or has
        /// reached the time of the next check.
        var isMoved = true
        /// The item time for which a caller waits for subtitles, regardless of the playhead;
        /// `invalid` if no caller waits.
        var wanted = MediaTime.invalid
    }

    let state = Monitor(State())
    private let asset: Asset
    private let trackID: Int?
    private let film: Asset
    private let timebase: Timebase
    private let onChange: @Sendable () -> Void
    private let cancellation = Cancellation()
    private let watches = Mutex<(observation: TimebaseObservation, timer: TimebaseTimer)?>(nil)

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - trackID: The track; nil for the first subtitle track of an asset that contains nothing
    ///     else.
    ///   - film: The asset that is played. Its frame rate is used for subtitles that have no frame
    ///     rate.
    ///   - onChange: Called on the feed's thread when more subtitles have been read.
    init(
        asset: Asset, trackID: Int?, film: Asset, timebase: Timebase,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.asset = asset
        self.trackID = trackID
        self.film = film
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

    /// Waits until the subtitles at a time have been read or cannot be read. It is for offline
    /// rendering.
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

    // MARK: Thread

    private func run() {
        do {
            let reader = try SubtitleReader(
                asset: asset, trackID: trackID, cancellation: cancellation)
            if reader.frameCount != nil { reader.frameRate = filmFrameRate() }
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

    /// Returns the frame rate of the asset that is played; 0 if it is unknown. The asset is not
    /// opened for that, because the item opens it and a pipe cannot be opened twice.
    private func filmFrameRate() -> Double {
        while true {
            switch film.status(of: .description) {
            case .loaded(let description): return description.frameRate
            case .failed, .cancelled: return 0
            case .unknown, .loading: break
            }
            let isClosed = state.wait(nanoseconds: Self.pause) { $0.isClosed ? true : nil }
            if isClosed == true { return 0 }
        }
    }

    /// The interval of checks for an asset that is not open yet: 50 ms.
    private static let pause: Int64 = 50_000_000

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

    /// Stores what was read. Returns true when nothing more can be stored or is needed.
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

    /// The range to read next.
    private enum Need {
        /// The range after the one that was read.
        case more
        /// A range that begins at this time, and not at the end of the one that was read.
        case jump(MediaTime)
        case closed
    }

    /// Waits until there is something to read, and returns the range to read.
    private func nextNeed() -> Need {
        state.wait { state -> Need? in
            if state.isClosed { return .closed }
            var (time, rate) = timebase.timeAndRate
            if state.wanted.isNumeric { time = state.wanted }
            guard time.isNumeric else { return nil }
            guard let run = state.run else { return .jump(time - Self.preroll) }
            // In reverse, reading jumps back before the playhead arrives at the start of the range.
            // Some subtitles are then read again.
            let isShort = rate < 0 && run.start > .zero && time - run.start < Self.preroll
            if time < run.start || isShort { return .jump(time - Self.ahead - Self.preroll) }
            if run.end.isNumeric {
                if time > run.end + Self.preroll { return .jump(time - Self.preroll) }
                if run.end - time < Self.ahead { return .more }
            }
            // Enough has been read. The next check is when half of it has been played.
            if state.isMoved {
                state.isMoved = false
                watches.withLock { $0?.timer }?.fireTime = Self.nextLook(after: run, rate: rate)
            }
            return nil
        }
    }

    /// Returns the time at which playback will have reached half of what was read ahead. Returns an
    /// invalid time if there is nothing left to read, because a time in the past would wake the
    /// thread at once, repeatedly.
    static func nextLook(after run: (start: MediaTime, end: MediaTime), rate: Double) -> MediaTime {
        if rate >= 0 { return run.end - ahead * 0.5 }
        return run.start > .zero ? run.start + preroll : .invalid
    }
}
