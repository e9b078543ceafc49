// SPDX-License-Identifier: Apache-2.0

import DequeModule
import PlayheadAssets
import PlayheadThreads
import PlayheadTime

/// What a decoding thread gets from the packet queue.
enum PacketEvent {
    case packet(MediaPacket)
    /// A seek began: forget what you hold, and go on with the packets of this generation.
    case flush(generation: Int)
    /// A seek began that the packets which follow lead to: go on, as this generation.
    case redirect(generation: Int)
    /// Nothing is there to read, and more is to come. Comes once, before waiting for it.
    case ranDry
    /// The track has ended: give up everything that you still hold. Comes once a generation, unless
    /// packets come after it all the same.
    case endOfStream
    /// The item is being torn down.
    case closed
}

/// The crossing from the demuxing thread to the decoding threads.
///
/// Holds the packets of all tracks, since room for them is shared: the demuxer goes on as long as
/// any track is short of packets, so badly interleaved files play, and stops at so many bytes.
///
/// - Concurrency: one writer, one reader a track, any thread for `restart` and `close`. Writer and
///   readers block while there is no room or nothing to read.
/// - Capacity: its bounds, which are a duration of every track beyond which it is full, and a number
///   of bytes; `PacketBounds.starvingFactor` times as many while the reader of a track waits for its
///   next packet, which lies behind a lot of others' in a badly interleaved file. And `countLimit`
///   packets, lest films of the smallest ones take many times their bytes.
///   Besides, of tracks other than the one with the pictures, `keptLimit` bytes that have been read:
///   sound is read further ahead than pictures, so a seek that pictures go on for goes back in it.
final class PacketQueue: Sendable {
    static let keptLimit = 2 << 20
    /// Packets that wait: with half a kilobyte for each beside its bytes, 64 MiB.
    static let countLimit = 1 << 17
    /// How much sound before a target its decoder is given to get going.
    static let preroll = MediaTime(value: 1, timescale: 5)

    private struct Track {
        var packets = Deque<MediaPacket>()
        /// How many of `packets` have been read, and their bytes.
        var readCount = 0
        var keptBytes = 0
        /// Whether packets that were read have been let go of in this run.
        var hasForgotten = false
        /// The generation that its reader has been told of.
        var readerGeneration = 0
        /// Whether the reader is to forget what it holds when it learns of the generation.
        var needsFlush = false
        var endDelivered = false
        /// Whether it is read; the packets of others are not waited for.
        var isPlaying = false
        /// How far it has been read from the asset in this run.
        var progress = PacketProgress()
        /// Whether its reader has found nothing since the last packet came.
        var isDry = false
        /// Where the packet is shown to its end that is shown last, as far as packets tell.
        var end = MediaTime.invalid

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

        mutating func append(_ packet: MediaPacket) {
            // It had been taken to be over, and is not by what the container says of its end.
            if endDelivered {
                progress.extent = .unknown
                endDelivered = false
            }
            packets.append(packet)
            progress.note(packet)
            noteEnd(of: packet)
            isDry = false
        }

        mutating func clear() {
            progress.restart()
            isDry = false
            packets.removeAll(keepingCapacity: true)
            readCount = 0
            keptBytes = 0
            hasForgotten = false
            endDelivered = false
            end = .invalid
        }

        /// The next packet; kept, if so wanted, for a while.
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

        /// The number of the first packet that is needed from `time` on; nil where it is not known.
        func position(for time: MediaTime) -> Int? {
            var index = 0
            while index < packets.count, packets[index].time.isNumeric, packets[index].time < time {
                index += 1
            }
            if index < packets.count, !packets[index].time.isNumeric { return nil }
            // One earlier, since it lasts until the next; if that is still there.
            if index == 0 { return hasForgotten ? nil : 0 }
            return index - 1
        }

        /// Moves reading to a packet; gives by how many bytes there are more to be read.
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
        /// The generation for which the demuxer has moved last: that of the packets.
        var run = 0
        var tracks: [Int: Track] = [:]
        var leading: Int?
        var bounds = PacketBounds()
        var byteCount = 0
        var hasEnded = false
        var isClosed = false

        /// Whether it has been full, and is not yet so empty that the demuxer goes on.
        var isResting = false

        /// Whether the demuxer is to go on; has to be asked after every change.
        mutating func takesMore() -> Bool {
            // A reader that has nothing waits for what comes next, however much there is of others.
            let isWaiting = tracks.values.contains { $0.isDry && !$0.endDelivered }
            let isUrgent = !isResting || isWaiting
            isResting = !hasRoom(isUrgent ? bounds : bounds.lowWater)
            return !isResting
        }

        /// Packets that nobody has read.
        var waitingCount: Int {
            tracks.values.reduce(0) { $0 + $1.packets.count - $1.readCount }
        }

        private func hasRoom(_ bounds: PacketBounds) -> Bool {
            let playing = tracks.values.filter(\.isPlaying)
            // Of a track that has all its packets no more are waited for, while there are others. But
            // the reader of pictures has to be told of their end, which shows where everything has
            // been read, or others so far beyond it that no more are expected: sound may wait for
            // the picture of a seek, and that for the end.
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

        /// Whether the pictures are taken to be over before the end is seen: the demuxer rests, and
        /// goes on only when others are read, which may wait for a picture that the decoder holds.
        func isOver(_ id: Int, _ track: Track) -> Bool {
            leading == id && isResting && track.progress.isComplete && isPassedOver(track)
        }

        /// Whether a track that has nothing to read is not waited for: others have been read so far
        /// beyond it that it is likely to have nothing there, or as far as there is room.
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

        var level: PacketLevel {
            let playing = tracks.filter(\.value.isPlaying).map { id, track in
                PacketLevel.Track(
                    id: id, progress: track.progress, isDry: track.isDry,
                    isPassedOver: isPassedOver(track))
            }
            return PacketLevel(
                playing, byteCount: byteCount, isFull: isResting || !hasRoom(bounds),
                hasEnded: hasEnded)
        }

        /// Whether there is no keyframe among the packets of a track that have not been read, up to
        /// a time, nor in what will be read then.
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

    /// Changes something, which may make room.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        monitor.change { state in
            defer { if state.isResting { _ = state.takesMore() } }
            return body(&state)
        }
    }

    /// Packets that nobody has read, and their bytes.
    var depth: (count: Int, bytes: Int) {
        monitor.withLock { state in
            (state.waitingCount, state.byteCount)
        }
    }

    /// Whether the reader of a track waits for packets that are not about to come: it has them all, or reading
    /// rests, or goes on only as others are read.
    func isExhausted(track: Int) -> Bool {
        monitor.withLock { state in
            guard let track = state.tracks[track], track.isDry else { return false }
            return track.progress.isComplete || state.hasEnded || state.isResting
                || state.isPassedOver(track)
        }
    }

    /// Declares the tracks that have readers. Called once, before anything is appended. Readers
    /// begin in generation 0, and learn of a seek that came before them like of any other.
    ///
    /// - Parameters:
    ///   - playing: those of them that are read; see `play`.
    ///   - leading: the one with the pictures.
    ///   - extents: how much of a track there is, where that is known.
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

    /// Chooses the tracks that are read from the next generation on.
    func play(_ tracks: Set<Int>) {
        change { state in
            for track in state.tracks.keys {
                state.tracks[track]?.isPlaying = tracks.contains(track)
            }
        }
    }

    /// Adds a packet, waiting for room. False when the demuxer has to move for a newer generation or
    /// the queue has been closed: the packet is dropped then.
    func append(_ packet: MediaPacket, generation: Int) -> Bool {
        monitor.wait { state in
            if state.isClosed || state.run != generation { return false }
            guard !state.isResting || state.takesMore() else { return nil }
            state.tracks[packet.trackID]?.append(packet)
            state.byteCount += packet.byteCount
            _ = state.takesMore()
            return true
        }
    }

    /// Says that the last packet of the generation has been appended.
    ///
    /// - Returns: where each track's packets end, as far as they tell.
    @discardableResult
    func finish(generation: Int) -> [Int: MediaTime] {
        change { state in
            guard state.run == generation else { return [:] }
            state.hasEnded = true
            return state.tracks.mapValues(\.end)
        }
    }

    /// Drops all packets and begins a generation.
    func restart(generation: Int) {
        change { state in
            state.generation = generation
            state.run = generation
            state.byteCount = 0
            state.hasEnded = false
            for key in state.tracks.keys {
                state.tracks[key]?.clear()
                state.tracks[key]?.needsFlush = true
            }
        }
    }

    /// Begins a generation with the packets that are there, if they lead to `time` by the shortest
    /// way: no keyframe lies between those that the leading track's reader has read and that time.
    /// Readers of other tracks are moved to it.
    ///
    /// - Parameter index: what is known of keyframes that have not been read yet.
    /// - Returns: false, and nothing has changed, where they do not.
    func redirect(
        generation: Int, to time: MediaTime, leading: Int, index: KeyframeIndex
    ) -> Bool {
        change { state in
            guard !state.isClosed, let track = state.tracks[leading], !track.needsFlush,
                state.isNearest(track, to: time, index: index)
            else { return false }
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

    /// What the reader of a track has to do next; waits until there is something.
    func next(track: Int) -> PacketEvent {
        monitor.wait(
            until: { state in
                let event = Self.next(track, &state)
                if state.isResting { _ = state.takesMore() }
                return event
            },
            // Nobody but the demuxer waits for what a reader does.
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
        // The copy above would make removing from the deque copy it, so let go of it first.
        entry.packets = []
        let keeps = state.leading.map { $0 != track } ?? false
        if let packet = state.tracks[track]?.read(keeping: keeps) {
            state.byteCount -= packet.byteCount
            return .packet(packet)
        }
        if entry.endDelivered { return nil }
        if state.hasEnded || state.isOver(track, entry) {
            state.tracks[track]?.endDelivered = true
            return .endOfStream
        }
        if entry.isDry { return nil }
        state.tracks[track]?.isDry = true
        return .ranDry
    }

    // MARK: The level

    /// How much it may hold.
    var bounds: PacketBounds {
        get { monitor.withLock { $0.bounds } }
        set { change { $0.bounds = newValue } }
    }

    /// How much has been read from the asset, and is left of it.
    var level: PacketLevel { monitor.withLock { $0.level } }

    /// Whether a newer generation than `generation` has begun, or the queue has been closed: a
    /// reader that is busy with a packet asks this to give up early.
    func isOutdated(_ generation: Int) -> Bool {
        monitor.withLock { $0.isClosed || $0.generation != generation }
    }
}

extension MediaPacket {
    /// When it has to be decoded, as far as known.
    var time: MediaTime { decodeTime.isNumeric ? decodeTime : presentationTime }
}
