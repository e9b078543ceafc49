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

    private struct Track {
        var packets = Deque<MediaPacket>()
        /// The number of `packets` that have been read, and their size in bytes.
        var readCount = 0
        var keptBytes = 0
        /// A Boolean value that indicates whether packets since the demuxer last moved are missing:
        /// they were read and have been discarded, or were not returned while the track did not
        /// play.
        var hasForgotten = false
        /// The generation that the reader of the lane has been notified of.
        var readerGeneration = 0
        /// A Boolean value that indicates whether the reader must discard its state when it is
        /// notified of the generation.
        var needsFlush = false
        var endDelivered = false
        /// A Boolean value that indicates whether the track is read. The queue does not wait for
        /// packets of tracks that are not read.
        var isPlaying = false
        /// The range that has been read from the asset since the demuxer last moved.
        var progress = PacketProgress()
        /// A Boolean value that indicates whether the reader has looked for a packet and found none
        /// since the last packet arrived.
        var isDry = false
        /// A Boolean value that indicates whether the reader has been notified of the current gap;
        /// see `PacketEvent.passedOver`.
        var isGapKnown = false
        /// The end of the packet that is shown last, as far as packets declare it.
        var end = MediaTime.invalid
        /// The identifier of the track if the lane belongs to an additional reader; nil for other
        /// lanes, whose key is the identifier of the track.
        var source: Int?
        /// A Boolean value that indicates whether the track is a video track other than the leading
        /// track.
        var isVideo = false
        /// The last packet since the demuxer last moved, and the time up to which packets are
        /// skipped when they are read again.
        var last: (time: MediaTime, duration: MediaTime) = (.invalid, .invalid)
        var isRead = MediaTime.invalid
        /// A Boolean value that indicates whether all packets of the track had been read before
        /// packets of other tracks were read again.
        var isFinished = false

        private mutating func noteEnd(of packet: MediaPacket) {
            let packetEnd = packet.presentationTime + packet.duration
            guard packetEnd.isNumeric else { return }
            end = end.isNumeric ? max(end, packetEnd) : packetEnd
        }

        func isSatisfied(_ bounds: PacketBounds) -> Bool {
            guard packets.count - readCount >= bounds.count else { return false }
            let (first, last) = (packets[readCount].time, packets[packets.count - 1].time)
            guard first.isNumeric, last.isNumeric else { return true }
            return last - first >= bounds.duration
        }

        /// Returns whether `packet` has been read before; false unless packets are being read
        /// again.
        mutating func hasRead(_ packet: MediaPacket) -> Bool {
            // Since the demuxer last moved, there was no packet up to the end. Earlier packets do
            // not concern the reader.
            if isFinished, !last.time.isNumeric { return true }
            guard isRead.isNumeric else { return false }
            if progress.extent == .still { return true }
            guard packet.time.isNumeric, packet.time <= isRead else {
                if packet.time.isNumeric { isRead = .invalid }
                return false
            }
            return true
        }

        /// Skips packets that have been read already, because reading continues at an earlier
        /// position.
        mutating func readAgain(isFinished: Bool) {
            if isFinished { self.isFinished = true }
            guard last.time.isNumeric else { return }
            // Times that are computed again may differ by rounding.
            let rest = last.duration.isNumeric ? last.duration * 0.5 : .zero
            isRead = last.time + rest
        }

        mutating func append(_ packet: MediaPacket) {
            let time = packet.time
            if time.isNumeric, !last.time.isNumeric || time >= last.time {
                last = (time, packet.duration)
            }
            isFinished = false
            // According to the container, the track was assumed to have ended, but it has not.
            if endDelivered {
                progress.extent = .unknown
                endDelivered = false
            }
            packets.append(packet)
            progress.note(packet)
            noteEnd(of: packet)
            isDry = false
            isGapKnown = false
        }

        mutating func clear() {
            progress.restart()
            isDry = false
            isGapKnown = false
            packets.removeAll(keepingCapacity: true)
            readCount = 0
            keptBytes = 0
            hasForgotten = false
            endDelivered = false
            end = .invalid
            last = (.invalid, .invalid)
            isRead = .invalid
            isFinished = false
        }

        /// Returns the next packet. If `keeping` is true, the packet may be kept in the queue for a
        /// while.
        mutating func read(keeping: Bool) -> MediaPacket? {
            guard readCount < packets.count else { return nil }
            guard keeping else { return packets.popFirst() }
            let packet = packets[readCount]
            readCount += 1
            keptBytes += packet.byteCount
            while keptBytes > PacketQueue.keptLimit || readCount > PacketQueue.countLimit,
                readCount > 0
            {
                keptBytes -= packets.removeFirst().byteCount
                readCount -= 1
                hasForgotten = true
            }
            return packet
        }

        /// Returns the index of the first packet that is needed from `time` on; nil if unknown.
        func position(for time: MediaTime) -> Int? {
            var index = 0
            while index < packets.count, packets[index].time.isNumeric, packets[index].time < time {
                index += 1
            }
            if index < packets.count, !packets[index].time.isNumeric { return nil }
            // At `time`, the packet before this one has not ended. It is therefore needed too, if
            // it still exists.
            if index == 0 { return hasForgotten ? nil : 0 }
            return index - 1
        }

        /// Moves the read position to a packet. Returns the increase in the number of unread bytes.
        mutating func move(to position: Int) -> Int {
            let range = min(position, readCount)..<max(position, readCount)
            let bytes = packets[range].reduce(0) { $0 + $1.byteCount }
            let change = position < readCount ? bytes : -bytes
            readCount = position
            keptBytes -= change
            return change
        }
    }

    private struct State {
        var generation = 0
        /// The generation for which the demuxer last moved. The packets in the queue belong to this
        /// generation.
        var run = 0
        var tracks: [Int: Track] = [:]
        var leading: Int?
        var bounds = PacketBounds()
        var byteCount = 0
        var hasEnded = false
        var isClosed = false
        /// The keys of the lanes that belong to additional readers.
        var furtherLanes: [Int] = []
        /// The keys of lanes that were removed before they were added.
        var removedLanes: Set<Int> = []
        /// A Boolean value that indicates whether the demuxer must end its wait.
        var isInterrupted = false
        /// The track and the time of the last packet. While the demuxer reads again, `regained` is
        /// the packet that it has to reach again.
        var last: (track: Int, time: MediaTime)?
        var regained: (track: Int, time: MediaTime)?

        /// A Boolean value that indicates whether the queue was full, and has not been drained
        /// enough for the demuxer to continue.
        var isResting = false

        /// Returns whether the demuxer should continue. It must be called after every change.
        mutating func takesMore() -> Bool {
            // A reader without packets waits for the next packet, no matter how many packets of
            // other tracks there are.
            let isWaiting = tracks.values.contains { $0.isDry && !$0.endDelivered }
            let isUrgent = !isResting || isWaiting
            isResting = !hasRoom(isUrgent ? bounds : bounds.lowWater)
            return !isResting
        }

        /// The number of unread packets.
        var waitingCount: Int {
            tracks.values.reduce(0) { $0 + $1.packets.count - $1.readCount }
        }

        mutating func append(_ packet: MediaPacket) {
            if let place = regained, place.track == packet.trackID, packet.time >= place.time {
                regained = nil
            }
            // If a track plays only in addition to the selected one, its own lane has no reader.
            var isTaken = false
            for lane in furtherLanes where tracks[lane]?.source == packet.trackID {
                append(packet, to: lane)
                isTaken = true
            }
            if !isTaken || tracks[packet.trackID]?.isPlaying == true {
                append(packet, to: packet.trackID)
            }
            if packet.time.isNumeric, regained == nil { last = (packet.trackID, packet.time) }
        }

        private mutating func append(_ packet: MediaPacket, to lane: Int) {
            guard tracks[lane]?.hasRead(packet) == false else { return }
            tracks[lane]?.append(packet)
            byteCount += packet.byteCount
        }

        private func hasRoom(_ bounds: PacketBounds) -> Bool {
            // Packets that were read take no space. A lane that needs such packets may seem
            // complete before it has them.
            if regained != nil, byteCount < bounds.starvingByteCount { return true }
            let playing = tracks.values.filter(\.isPlaying)
            // The queue does not wait for a complete track while there are other tracks. The reader
            // of video is an exception: it has to be notified of the end, because audio may wait
            // for the frame of a seek, and the decoder may hold that frame until the end. The end
            // is known only after everything has been read, or after other tracks have been read
            // far enough beyond it that no more video is expected.
            if let pictures = leading.flatMap({ tracks[$0] }), pictures.isDry,
                !pictures.endDelivered, byteCount < bounds.byteCount || !isPassedOver(pictures)
            {
                return true
            }
            let wanting = playing.filter { !$0.progress.isComplete }
            if (wanting.isEmpty ? playing : wanting).allSatisfy({ $0.isSatisfied(bounds) }) {
                return false
            }
            guard waitingCount < PacketQueue.countLimit else { return false }
            if byteCount < bounds.byteCount { return true }
            return byteCount < bounds.starvingByteCount && wanting.contains(where: \.isDry)
        }

        /// Returns whether video is assumed to have ended although its end is not certain, and the
        /// demuxer pauses until packets of other tracks are read. The readers of these tracks may
        /// be waiting for a frame that the video decoder holds until it is notified of the end.
        func isOver(_ id: Int, _ track: Track) -> Bool {
            leading == id && isResting && track.progress.isComplete && isPassedOver(track)
        }

        /// Returns whether a track has nothing to read and the queue does not wait for it. Either
        /// the track probably has a gap, because other tracks have been read far beyond it, or
        /// there is no more space.
        func isPassedOver(_ track: Track) -> Bool {
            guard track.isDry else { return false }
            if byteCount >= bounds.starvingByteCount { return true }
            let others = tracks.values.filter { $0.isPlaying && $0.progress.end.isNumeric }
                .map(\.progress)
            guard let front = others.map(\.end).max(), let start = others.map(\.start).min() else {
                return false
            }
            let end = track.progress.end.isNumeric ? track.progress.end : start
            return front - end > PacketBounds.interleavingLimit
        }

        /// Returns whether a track has nothing to read and gets its next packet only after packets
        /// of other tracks have been read.
        func isPassedOverForNow(_ track: Track) -> Bool {
            track.isDry && regained == nil && (isResting || isPassedOver(track))
        }

        var level: PacketLevel {
            // A reader that was added later does not count before its first packet.
            let playing = tracks.filter {
                $0.value.isPlaying && ($0.value.source == nil || $0.value.progress.count > 0)
            }.map { id, track in
                PacketLevel.Track(
                    id: id, progress: track.progress, isDry: track.isDry,
                    isPassedOver: isPassedOver(track))
            }
            return PacketLevel(
                playing, byteCount: byteCount, isFull: isResting || !hasRoom(bounds),
                hasEnded: hasEnded)
        }

        /// Returns whether no keyframe lies between the position of a track's reader and `time`:
        /// neither among the unread packets, nor among those that the demuxer has yet to read.
        func isNearest(_ track: Track, to time: MediaTime, index: KeyframeIndex) -> Bool {
            var last = MediaTime.invalid
            for packet in track.packets {
                if packet.isKeyframe, !(packet.presentationTime > time) { return false }
                last = packet.time
            }
            if hasEnded { return true }
            guard last.isNumeric else { return false }
            return last > time || index.hasNone(after: last, upTo: time)
        }
    }

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
            guard let track = state.tracks[track], track.isDry else { return false }
            return track.progress.isComplete || track.isFinished || state.hasEnded
                || state.isResting
                || state.isPassedOver(track)
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
}
