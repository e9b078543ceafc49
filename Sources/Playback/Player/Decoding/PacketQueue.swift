// SPDX-License-Identifier: Apache-2.0

import DequeModule
import PlayheadAssets
import PlayheadThreads
import PlayheadTime

/// The queue between the demuxing thread and the decoding threads.
///
/// It holds the packets of all tracks, because they share its capacity. The demuxer continues as
/// long as any track lacks packets, so that badly interleaved files play. It stops when a number of
/// bytes is reached.
///
/// - Concurrency: one writer, one reader per track, and any thread for `restart` and `close`. The
///   writer blocks while there is no space, and a reader while there is nothing to read.
/// - Capacity: the queue is full when it contains packets of a certain duration for every track, or
///   a certain number of bytes. Both limits are in `bounds`. While the reader of a track waits for
///   a packet that is far behind packets of other tracks, as in a badly interleaved file, the
///   number of bytes is multiplied by `PacketBounds.starvingFactor`. The number of packets is
///   limited to `countLimit`, because each packet has an overhead, which exceeds the size of tiny
///   packets. In addition, for each track other than the video track, up to `keptLimit` bytes are
///   kept after they have been read. Audio is read farther ahead than video. If a seek continues
///   with the video packets in the queue, it may need audio packets that have been read already.
final class PacketQueue: Sendable {
    static let keptLimit = 2 << 20
    /// The maximum number of waiting packets. With an overhead of half a kilobyte each, they take
    /// 64 MiB.
    static let countLimit = 1 << 17
    /// The duration of audio before a seek target that the decoder receives as pre-roll.
    static let preroll = MediaTime(value: 1, timescale: 2)

    private let monitor = Monitor(State())

    /// Makes a change that may free space.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        monitor.change { state in
            defer { if state.isResting { _ = state.takesMore() } }
            return body(&state)
        }
    }

    /// The number of unread packets, and their size in bytes.
    var depth: (count: Int, bytes: Int) {
        monitor.withLock { state in
            (state.waitingCount, state.byteCount)
        }
    }

    /// Returns whether the reader of a lane waits for a packet.
    func isDry(lane: Int) -> Bool {
        monitor.withLock { state in
            guard let track = state.tracks[lane] else { return false }
            return track.isDry && track.readerGeneration == state.generation
        }
    }

    /// Returns whether the reader of a track waits for packets that will not come soon: it has read
    /// all of them, or the demuxer pauses, or the demuxer continues only when packets of other
    /// tracks are read.
    func isExhausted(track: Int) -> Bool {
        monitor.withLock { state in
            guard let entry = state.tracks[track], entry.isDry else { return false }
            if state.hasEnded || entry.isFinished || state.isResting { return true }
            let playing = state.tracks.filter(\.value.isPlaying)
            return state.isOver(track, in: playing) || state.isPassedOver(entry)
        }
    }

    /// Returns whether it is certain that a lane gets no packet before packets of other tracks have
    /// been read. The extent of the track is not considered, because it is not reliable.
    func hasNothingToCome(lane: Int) -> Bool {
        monitor.withLock { state in
            guard let track = state.tracks[lane], track.isDry, state.regained == nil else {
                return false
            }
            return state.hasEnded || track.isFinished || state.isResting
                || state.isPassedOver(track)
        }
    }

    /// Returns whether the reader of a lane waits for a packet, and gets it only after packets of
    /// other tracks have been read. Returns false if the reader has read the end of its track.
    func isPassedOver(lane: Int) -> Bool {
        monitor.withLock { state in
            guard let track = state.tracks[lane], !state.hasEnded, !track.isFinished else {
                return false
            }
            return state.isPassedOverForNow(track)
        }
    }

    /// Declares the tracks that have readers. It is called once, before the first packet. Readers
    /// begin in generation 0. If there was a seek before the call, they are notified of it as of
    /// any other seek.
    ///
    /// - Parameters:
    ///   - playing: The tracks that are read; see `play`.
    ///   - leading: The video track.
    ///   - extents: The amount of media in each track, if it is known.
    func open(
        tracks: [Int], playing: [Int], leading: Int?, extents: [Int: PacketProgress.Extent] = [:]
    ) {
        change { state in
            state.leading = leading
            for track in tracks {
                state.tracks[track] = Track()
                state.tracks[track]?.progress.extent = extents[track] ?? .unknown
            }
            for track in playing { state.tracks[track]?.isPlaying = true }
        }
    }

    /// Sets the tracks that are read from the next generation on. Since the demuxer last moved, it
    /// has not returned the packets of a track that did not play, so `redirect` cannot continue
    /// with them.
    func play(_ tracks: Set<Int>) {
        change { state in
            for (key, track) in state.tracks where track.source == nil {
                let isPlaying = tracks.contains(key)
                if isPlaying, !track.isPlaying { state.tracks[key]?.hasForgotten = true }
                state.tracks[key]?.isPlaying = isPlaying
            }
        }
    }

    /// Adds a packet, and waits for space if necessary. Returns false without adding the packet if
    /// the demuxer has to move for a newer generation, if the wait was interrupted, or if the queue
    /// has been closed.
    ///
    /// - Parameter nanoseconds: The maximum time to wait; nil for no limit. After that time, false
    ///   is returned.
    func append(_ packet: MediaPacket, generation: Int, nanoseconds: Int64? = nil) -> Bool {
        func isAdded(_ state: inout State) -> Bool? {
            if state.isClosed || state.run != generation || state.isInterrupted { return false }
            guard !state.isResting || state.takesMore() else { return nil }
            state.append(packet)
            _ = state.takesMore()
            return true
        }
        guard let nanoseconds else { return monitor.wait(until: isAdded) }
        return monitor.wait(nanoseconds: nanoseconds, until: isAdded) ?? false
    }

    /// Ends waits of the demuxer, because it has other work. This applies until `endInterruption`.
    func interrupt() { monitor.change { $0.isInterrupted = true } }

    /// Ends the interruption. The demuxer calls this when it begins the other work.
    func endInterruption() { monitor.withLock { $0.isInterrupted = false } }

    /// Adds lanes for additional readers of tracks, and prepares to read again the packets that
    /// these lanes need. The other lanes skip packets that they have read already.
    ///
    /// - Parameters:
    ///   - lanes: The tracks, by the key of the new lane. A key must not be the identifier of a
    ///     track.
    ///   - video: The keys of the video lanes.
    ///   - generation: The generation that the demuxer reads. If a newer generation has begun, the
    ///     demuxer moves for it anyway.
    ///   - time: The time from which the lanes need packets.
    /// - Returns: the time to move to; nil to continue at the current position.
    func readAgain(
        for lanes: [Int: Int], video: Set<Int> = [], generation: Int, from time: MediaTime
    ) -> MediaTime? {
        change { state in
            for (key, source) in lanes where state.removedLanes.remove(key) == nil {
                var track = Track()
                track.source = source
                track.isVideo = video.contains(key)
                if track.isVideo { (track.readerGeneration, track.needsFlush) = (-1, true) }
                track.isPlaying = true
                track.hasForgotten = true
                track.progress.extent = state.tracks[source]?.progress.extent ?? .unknown
                state.tracks[key] = track
                state.furtherLanes.append(key)
            }
            guard time.isNumeric, !state.isClosed, state.run == generation else {
                return nil
            }
            let others = state.tracks.filter { lanes[$0.key] == nil && $0.value.isPlaying }.values
            let begun = others.filter { $0.progress.count > 0 && $0.progress.extent != .still }
            // Without times, it is unknown which packets have been read.
            guard begun.allSatisfy({ $0.last.time.isNumeric }) else { return nil }
            state.regained = state.last
            let front = state.last.map { $0.time - PacketBounds.interleavingLimit } ?? .invalid
            for key in state.tracks.keys where lanes[key] == nil {
                state.tracks[key]?.readAgain(isFinished: state.hasEnded)
            }
            state.hasEnded = false
            // A track that has had no packets for long has a gap there.
            return begun.map(\.last.time).filter { !front.isNumeric || $0 >= front }
                .reduce(time, min)
        }
    }

    /// Lets a reader continue with another lane. Its previous lane has notified it of `generation`,
    /// so that the new lane does not.
    func moveReader(to lane: Int, generation: Int) {
        change { state in
            guard state.generation == generation else { return }
            state.tracks[lane]?.readerGeneration = generation
            state.tracks[lane]?.needsFlush = false
        }
    }

    /// Ends the reader of a lane that was added.
    func removeLane(_ key: Int) {
        change { state in
            guard let track = state.tracks.removeValue(forKey: key) else {
                state.removedLanes.insert(key)
                return
            }
            state.furtherLanes.removeAll { $0 == key }
            for packet in track.packets.dropFirst(track.readCount) {
                state.byteCount -= packet.byteCount
            }
        }
    }

    /// Records that the last packet of a generation has been added.
    ///
    /// - Returns: the end of each track according to its packets, as far as they declare it.
    @discardableResult
    func finish(generation: Int) -> [Int: MediaTime] {
        change { state in
            guard state.run == generation else { return [:] }
            state.hasEnded = true
            state.regained = nil
            return state.tracks.mapValues(\.end)
        }
    }

    /// Discards all packets and begins a generation.
    func restart(generation: Int) {
        change { state in
            state.generation = generation
            state.run = generation
            state.byteCount = 0
            state.hasEnded = false
            (state.last, state.regained) = (nil, nil)
            for key in state.tracks.keys {
                state.tracks[key]?.clear()
                state.tracks[key]?.needsFlush = true
            }
        }
    }

    /// Begins a generation with the packets in the queue, if decoding them is the shortest way to
    /// `time`: there is no keyframe between the packets that the reader of the leading track has
    /// read and `time`. The readers of the other tracks are moved to `time`.
    ///
    /// - Parameter index: The keyframes that are known and have not been read yet.
    /// - Returns: false if it is not the shortest way. In that case, nothing is changed.
    func redirect(
        generation: Int, to time: MediaTime, leading: Int, index: KeyframeIndex
    ) -> Bool {
        change { state in
            guard !state.isClosed, let track = state.tracks[leading], !track.needsFlush,
                state.isNearest(track, to: time, index: index)
            else { return false }
            // The other video tracks would have to begin at their own keyframes.
            guard !state.tracks.values.contains(where: \.isVideo) else { return false }
            let target = time - Self.preroll
            var positions: [Int: Int] = [:]
            for (key, track) in state.tracks where key != leading {
                guard let position = track.position(for: target) else { return false }
                positions[key] = position
            }
            for (key, position) in positions {
                state.byteCount += state.tracks[key]?.move(to: position) ?? 0
                state.tracks[key]?.needsFlush = true
            }
            for key in state.tracks.keys {
                state.tracks[key]?.endDelivered = false
                state.tracks[key]?.isDry = false
            }
            state.generation = generation
            return true
        }
    }

    func close() {
        change { state in
            state.isClosed = true
            for key in state.tracks.keys { state.tracks[key]?.packets.removeAll() }
        }
    }

    /// Returns the next event for the reader of a track. Waits until there is one.
    func next(track: Int) -> PacketEvent {
        monitor.wait(
            until: { state in
                let event = Self.next(track, &state)
                if state.isResting { _ = state.takesMore() }
                return event
            },
            // Only the demuxer may be waiting for a reader.
            isNews: { !$0.isResting })
    }

    private static func next(_ track: Int, _ state: inout State) -> PacketEvent? {
        if state.isClosed { return .closed }
        guard var entry = state.tracks[track] else { return .closed }
        if entry.readerGeneration != state.generation {
            state.tracks[track]?.readerGeneration = state.generation
            state.tracks[track]?.needsFlush = false
            return entry.needsFlush
                ? .flush(generation: state.generation)
                : .redirect(generation: state.generation)
        }
        // As long as `entry` shares the deque, a removal would copy the deque. `entry` therefore
        // releases it first.
        entry.packets = []
        let keeps = !entry.isVideo && state.leading.map { $0 != track } ?? false
        if let packet = state.tracks[track]?.read(keeping: keeps) {
            state.byteCount -= packet.byteCount
            return .packet(packet)
        }
        if entry.endDelivered { return nil }
        if state.hasEnded || entry.isFinished || state.isOver(track, entry) {
            state.tracks[track]?.endDelivered = true
            return .endOfStream
        }
        if entry.isDry {
            guard entry.isVideo, !entry.isGapKnown, state.isPassedOverForNow(entry) else {
                return nil
            }
            state.tracks[track]?.isGapKnown = true
            return .passedOver
        }
        state.tracks[track]?.isDry = true
        return .ranDry
    }

    // MARK: - Level

    /// The capacity.
    var bounds: PacketBounds {
        get { monitor.withLock { $0.bounds } }
        set { change { $0.bounds = newValue } }
    }

    /// The packets that have been read from the asset and are still in the queue.
    var level: PacketLevel { monitor.withLock { $0.level } }

    /// Returns whether a newer generation than `generation` has begun, or the queue has been
    /// closed. A reader that is processing a packet checks this in order to stop early.
    func isOutdated(_ generation: Int) -> Bool {
        monitor.withLock { $0.isClosed || $0.generation != generation }
    }

    /// Returns the value of `isOutdated` for a reader whose lane may be removed.
    func isOutdated(_ generation: Int, lane: Int) -> Bool {
        monitor.withLock { state in
            state.isClosed || state.generation != generation || state.tracks[lane] == nil
        }
    }
}
