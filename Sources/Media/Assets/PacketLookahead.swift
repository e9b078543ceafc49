// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The packets of one video track, read ahead of the decoder as far as needed to determine which
/// frame is on display at a time and where decoding it has to begin.
///
/// Reading costs next to nothing, decoding a lot: frames between two that are wanted are decoded
/// only as far as others need them, and not at all if a keyframe lies between.
///
/// - Concurrency: one thread at a time.
final class PacketLookahead {
    private let demuxer: any Demuxer
    private let decoder: any VideoDecoder
    private var packets: [MediaPacket] = []
    private var head = 0
    private var bytes = 0
    /// Times of pictures that the decoder holds and will give out.
    private var inFlight: [MediaTime] = []
    /// The picture that is wanted: others before it are left out where no other needs them.
    private var target = MediaTime.invalid
    /// Ends the stream after the target's own packet, so that the decoder gives it out at once.
    private var stopsAtTarget = false
    /// A Boolean value that indicates whether all packets so far have stated when their frames
    /// begin.
    private(set) var areTimed = true
    /// A Boolean value that indicates whether the container has been read to its end.
    private(set) var hasReachedEnd = false

    /// The most that is read ahead; anything beyond is found by a seek, or by decoding its frames.
    private static let maximum = (packets: 4096, bytes: 64 << 20)
    /// The number of packets shown after a time that are read before no further packet with an
    /// earlier time is expected: the largest reordering of H.264 and HEVC, 16 frames. Decoding
    /// times would show it sooner, but there are videos in which they come after the times of
    /// display.
    private static let maximumReordering = 16

    init(demuxer: any Demuxer, decoder: any VideoDecoder) {
        self.demuxer = demuxer
        self.decoder = decoder
    }

    /// Moves to a keyframe at or before `time`.
    func seek(to time: MediaTime) throws(MediaError) {
        try demuxer.seek(to: time)
        packets.removeAll(keepingCapacity: true)
        (head, bytes) = (0, 0)
        hasReachedEnd = false
        restartDecoder()
    }

    private func restartDecoder() {
        decoder.flush()
        inFlight.removeAll()
    }

    /// Reads on until every picture that begins at or before `time` is known; false where that
    /// takes more than is read ahead.
    func read(to time: MediaTime) throws(MediaError) -> Bool {
        var later = 0
        for packet in packets[head...] where isAfter(packet, time, &later) { return true }
        if head > 0 {
            packets.removeSubrange(..<head)
            head = 0
        }
        while !hasReachedEnd, packets.count < Self.maximum.packets, bytes < Self.maximum.bytes {
            guard let packet = try demuxer.readPacket() else {
                hasReachedEnd = true
                return true
            }
            packets.append(packet)
            bytes += packet.byteCount
            if !packet.presentationTime.isNumeric { areTimed = false }
            if isAfter(packet, time, &later) { return true }
        }
        return hasReachedEnd
    }

    /// Returns whether all packets after this one are shown after a time; `later` counts those that
    /// were.
    private func isAfter(_ packet: MediaPacket, _ time: MediaTime, _ later: inout Int) -> Bool {
        if packet.presentationTime.isNumeric, packet.presentationTime > time { later += 1 }
        return later > Self.maximumReordering
    }

    /// The time of the last keyframe, among the packets to come, that is shown at or before `time`.
    func keyframe(before time: MediaTime) -> MediaTime? {
        keyframeIndex(before: time).map { packets[$0].presentationTime }
    }

    private func keyframeIndex(before time: MediaTime) -> Int? {
        packets[head...].lastIndex {
            $0.isKeyframe && $0.presentationTime.isNumeric && $0.presentationTime <= time
        }
    }

    /// Starts again at the last keyframe at or before `time`; returns false if none is still to
    /// come.
    func skip(toKeyframeBefore time: MediaTime) -> Bool {
        guard let index = keyframeIndex(before: time) else { return false }
        for packet in packets[head..<index] { bytes -= packet.byteCount }
        head = index
        restartDecoder()
        return true
    }

    /// Returns the latest time at or before `time` at which a frame begins that is in the decoder
    /// or still to come; nil if there is no such frame.
    func begin(ofPictureAt time: MediaTime) -> MediaTime? {
        begins.filter { $0 <= time }.max()
    }

    /// The earliest time at or after `time` at which such a picture begins.
    func begin(from time: MediaTime) -> MediaTime? {
        begins.filter { $0 >= time }.min()
    }

    private var begins: some Sequence<MediaTime> {
        [inFlight, packets[head...].map(\.presentationTime)].lazy.joined()
    }

    /// Returns whether any frame to come begins after a time.
    func hasPicture(after time: MediaTime) -> Bool {
        begins.contains { $0 > time }
    }

    /// Sets the picture that is wanted; `invalid` for every one.
    func aim(at time: MediaTime, stopping: Bool) {
        target = time
        stopsAtTarget = stopping
        hasStopped = false
    }

    /// A Boolean value that indicates whether the stream was ended after the target: the decoder
    /// has to begin at a keyframe.
    private(set) var hasStopped = false

    /// The next packet for the decoder; nil at the end.
    func nextPacket() throws(MediaError) -> MediaPacket? {
        if hasStopped { return nil }
        let packet: MediaPacket
        if head < packets.count {
            packet = packets[head]
            head += 1
            bytes -= packet.byteCount
        } else {
            guard let next = hasReachedEnd ? nil : try demuxer.readPacket() else {
                hasReachedEnd = true
                return nil
            }
            packet = next
        }
        let time = packet.presentationTime
        let isEarly = target.isNumeric && time.isNumeric && time < target
        decoder.skipsNonReferenceFrames = isEarly
        if !isEarly, time.isNumeric {
            let place = inFlight.firstIndex { $0 > time } ?? inFlight.endIndex
            inFlight.insert(time, at: place)
        }
        if stopsAtTarget, time.isNumeric, time == target { hasStopped = true }
        return packet
    }

    /// Notes that a picture has come out of the decoder.
    func forget(through time: MediaTime) {
        inFlight.removeAll { $0 <= time }
    }
}
