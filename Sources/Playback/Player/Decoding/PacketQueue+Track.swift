// SPDX-License-Identifier: Apache-2.0

import DequeModule
import PlayheadAssets
import PlayheadTime

extension PacketQueue {
    /// The packets that one reader has yet to read, and how far their track has been read.
    struct Track {
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
}
