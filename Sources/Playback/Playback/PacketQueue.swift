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
    /// The track has ended: give up everything that you still hold. Comes once a generation.
    case endOfStream
    /// The item is being torn down.
    case closed
}

/// The crossing from the demuxing thread to the decoding threads.
///
/// Holds the packets of all tracks, since room for them is shared: the demuxer goes on as long as
/// any track is short of packets, so badly interleaved files play, and stops at `byteLimit` bytes.
///
/// - Concurrency: one writer, one reader a track, any thread for `restart` and `close`. Writer and
///   readers block while there is no room or nothing to read.
/// - Capacity: `byteLimit` bytes, and about `wantedDuration` of every track beyond which it is full.
final class PacketQueue: Sendable {
    /// A sample of a second or more of every track keeps decoders busy through the slowest disk.
    static let wantedDuration = MediaTime(value: 2, timescale: 1)
    static let wantedCount = 32
    static let byteLimit = 64 << 20

    private struct Track {
        var packets = Deque<MediaPacket>()
        /// The generation that its reader has been told of.
        var readerGeneration = 0
        var endDelivered = false
        /// Where the packet ends that ends last, as far as packets tell.
        var end = MediaTime.invalid

        mutating func noteEnd(of packet: MediaPacket) {
            let packetEnd = packet.presentationTime + packet.duration
            guard packetEnd.isNumeric else { return }
            end = end.isNumeric ? max(end, packetEnd) : packetEnd
        }

        var isSatisfied: Bool {
            guard packets.count >= PacketQueue.wantedCount else { return false }
            guard let first = packets.first?.time, let last = packets.last?.time,
                first.isNumeric, last.isNumeric
            else { return true }
            return last - first >= PacketQueue.wantedDuration
        }
    }

    private struct State {
        var generation = 0
        var tracks: [Int: Track] = [:]
        var byteCount = 0
        var hasEnded = false
        var isClosed = false

        var hasRoom: Bool {
            byteCount < PacketQueue.byteLimit && !tracks.values.allSatisfy(\.isSatisfied)
        }
    }

    private let monitor = Monitor(State())

    /// Declares the tracks that have readers. Called once, before anything is appended. Readers
    /// begin in generation 0, and learn of a seek that came before them like of any other.
    func open(tracks: [Int]) {
        monitor.change { state in
            for track in tracks { state.tracks[track] = Track() }
        }
    }

    /// Adds a packet, waiting for room. False when a newer generation has begun or the queue has
    /// been closed: the packet is dropped then.
    func append(_ packet: MediaPacket, generation: Int) -> Bool {
        monitor.wait { state in
            if state.isClosed || state.generation != generation { return false }
            guard state.hasRoom else { return nil }
            state.tracks[packet.trackID]?.packets.append(packet)
            state.tracks[packet.trackID]?.noteEnd(of: packet)
            state.byteCount += packet.byteCount
            return true
        }
    }

    /// Says that the last packet of the generation has been appended.
    ///
    /// - Returns: where each track's packets end, as far as they tell.
    func finish(generation: Int) -> [Int: MediaTime] {
        monitor.change { state in
            guard state.generation == generation else { return [:] }
            state.hasEnded = true
            return state.tracks.mapValues(\.end)
        }
    }

    /// Drops all packets and begins a generation.
    func restart(generation: Int) {
        monitor.change { state in
            state.generation = generation
            state.byteCount = 0
            state.hasEnded = false
            for key in state.tracks.keys {
                state.tracks[key]?.packets.removeAll(keepingCapacity: true)
                state.tracks[key]?.endDelivered = false
                state.tracks[key]?.end = .invalid
            }
        }
    }

    func close() {
        monitor.change { state in
            state.isClosed = true
            for key in state.tracks.keys { state.tracks[key]?.packets.removeAll() }
        }
    }

    /// What the reader of a track has to do next; waits until there is something.
    func next(track: Int) -> PacketEvent {
        monitor.wait { state in
            if state.isClosed { return .closed }
            guard var entry = state.tracks[track] else { return .closed }
            if entry.readerGeneration != state.generation {
                state.tracks[track]?.readerGeneration = state.generation
                return .flush(generation: state.generation)
            }
            // The copy above would make removing from the deque copy it, so let go of it first.
            entry.packets = []
            if let packet = state.tracks[track]?.packets.popFirst() {
                state.byteCount -= packet.byteCount
                return .packet(packet)
            }
            guard state.hasEnded, !entry.endDelivered else { return nil }
            state.tracks[track]?.endDelivered = true
            return .endOfStream
        }
    }

    /// Whether a newer generation than `generation` has begun, or the queue has been closed: a
    /// reader that is busy with a packet asks this to give up early.
    func isOutdated(_ generation: Int) -> Bool {
        monitor.withLock { $0.isClosed || $0.generation != generation }
    }
}

extension MediaPacket {
    fileprivate var time: MediaTime { decodeTime.isNumeric ? decodeTime : presentationTime }
}
