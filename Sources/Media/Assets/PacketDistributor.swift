// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// An object that reads one demuxer for several tracks. If a packet of one track is requested and
/// packets of another track come first, those packets are stored for the other track.
///
/// - Concurrency: one thread at a time.
final class PacketDistributor {
    private let demuxer: any Demuxer
    private let subject: String
    private var backlogs: [Int: Backlog] = [:]
    private var waitingBytes = 0
    /// The tracks with few packets, and those of their packets that have not been taken yet.
    private var sparseTracks: Set<Int> = []
    private var sparsePackets: [MediaPacket] = []

    /// The packets of one track that were read but not requested yet.
    struct Backlog {
        private(set) var packets: [MediaPacket] = []
        private var head = 0

        mutating func take() -> MediaPacket? {
            guard head < packets.count else {
                packets.removeAll(keepingCapacity: true)
                head = 0
                return nil
            }
            // Packets that were returned are removed once they make up half of the list. Otherwise,
            // a backlog that is never empty would store them forever.
            if head >= 64, head * 2 >= packets.count {
                packets.removeSubrange(..<head)
                head = 0
            }
            head += 1
            return packets[head - 1]
        }

        mutating func append(_ packet: MediaPacket) { packets.append(packet) }
    }

    /// The maximum number of compressed bytes that may wait, which suffices for minutes of most
    /// videos. Without this limit, a whole track would be stored in memory if only the other tracks
    /// are read.
    private static let maximumWaitingBytes = 256 << 20

    init(_ demuxer: any Demuxer, subject: String) {
        self.demuxer = demuxer
        self.subject = subject
    }

    /// Adds a track to the tracks that are read.
    func add(_ track: Int) {
        backlogs[track] = Backlog()
        demuxer.selectTracks(sparseTracks.union(backlogs.keys))
    }

    /// Adds sparse tracks, which have few packets, such as subtitles. Their packets are read
    /// together with those of the other tracks.
    func addSparse(_ tracks: [Int]) {
        sparseTracks.formUnion(tracks)
        demuxer.selectTracks(sparseTracks.union(backlogs.keys))
    }

    /// Returns the packets of sparse tracks that were read since the last call.
    func takeSparsePackets() -> [MediaPacket] {
        defer { sparsePackets.removeAll() }
        return sparsePackets
    }

    /// Returns the next packet of a track; nil at the end.
    func nextPacket(of track: Int) throws(MediaError) -> MediaPacket? {
        if let packet = backlogs[track]?.take() {
            waitingBytes -= packet.memoryByteCount
            return packet
        }
        while let packet = try demuxer.readPacket() {
            if packet.trackID == track { return packet }
            if sparseTracks.contains(packet.trackID) {
                sparsePackets.append(packet)
                continue
            }
            waitingBytes += packet.memoryByteCount
            guard waitingBytes <= Self.maximumWaitingBytes else {
                throw MediaError(
                    .limitExceeded, subject: subject,
                    cause: "more than \(Self.maximumWaitingBytes >> 20) MiB of track "
                        + "\(packet.trackID) wait to be read",
                    remedy: "read the outputs in turn, or use a separate reader for each output")
            }
            backlogs[packet.trackID]?.append(packet)
        }
        return nil
    }

    func seek(to time: MediaTime) throws(MediaError) {
        // Subtitles must not decide where reading begins.
        if !sparseTracks.isEmpty { demuxer.selectTracks(Set(backlogs.keys)) }
        try demuxer.seek(to: time)
        if !sparseTracks.isEmpty { demuxer.selectTracks(sparseTracks.union(backlogs.keys)) }
        sparsePackets.removeAll()
        for track in backlogs.keys { backlogs[track] = Backlog() }
        waitingBytes = 0
    }
}
