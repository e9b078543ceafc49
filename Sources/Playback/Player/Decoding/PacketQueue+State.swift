// SPDX-License-Identifier: Apache-2.0

import DequeModule
import PlayheadAssets
import PlayheadTime

extension PacketQueue {
    /// The lanes of all readers, and the state of the demuxer. The queue's lock protects them.
    struct State {
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

        /// Returns whether no more packets of a track are expected before the demuxer has to
        /// continue for other tracks. The last packets of a track that has been read to about its
        /// end may still arrive, unless other tracks have been read beyond its end.
        func isOver(_ id: Int, in playing: [Int: Track]) -> Bool {
            guard let track = playing[id], track.progress.isComplete else { return false }
            if isResting || track.isFinished { return true }
            let front = playing.lazy.filter { $0.key != id && $0.value.progress.end.isNumeric }
                .map(\.value.progress.end).max()
            return track.progress.isOver(whenOthersEndAt: front)
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
            }
            let levels = playing.map { id, track in
                PacketLevel.Track(
                    id: id, progress: track.progress, isDry: track.isDry,
                    isOver: isOver(id, in: playing), isPassedOver: isPassedOver(track))
            }
            return PacketLevel(
                levels, byteCount: byteCount, isFull: isResting || !hasRoom(bounds),
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
}
