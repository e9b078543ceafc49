// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The packets of one video track that are read ahead of the decoder. They are read as far as
/// necessary to determine which frame is displayed at a time and where decoding that frame has to
/// begin.
///
/// Reading is cheap compared with decoding. Frames between two requested frames are decoded only if
/// other frames depend on them. If there is a keyframe between the two, the frames before that
/// keyframe are not decoded at all.
///
/// - Concurrency: one thread at a time.
final class PacketLookahead {
    private let demuxer: any Demuxer
    private let decoder: any VideoDecoder
    private var packets: [MediaPacket] = []
    private var head = 0
    private var bytes = 0
    /// The times of the frames that the decoder still holds.
    private var inFlight: [MediaTime] = []
    /// The time of the requested frame. Earlier frames are skipped if no other frame depends on
    /// them.
    private var target = MediaTime.invalid
    /// A Boolean value that indicates whether the stream is ended after the packet of the target.
    /// The decoder then returns the frame at once.
    private var stopsAtTarget = false
    /// A Boolean value that indicates whether all packets so far state the presentation times of
    /// their frames.
    private(set) var areTimed = true
    /// A Boolean value that indicates whether the container has been read to its end.
    private(set) var hasReachedEnd = false

    /// The maximum number and size of packets that are read ahead. Frames beyond this limit are
    /// found by a seek or by decoding.
    private static let maximum = (packets: 4096, bytes: 64 << 20)
    /// The maximum reordering of H.264 and HEVC, in frames. If more packets than this are presented
    /// after a time, no packet that follows is expected to be presented before that time. Decode
    /// times show this sooner, but in some videos they are later than presentation times.
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

    /// Reads ahead until every frame that begins at or before `time` is known. Returns false if
    /// this exceeds the maximum.
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

    /// Returns whether all packets after this packet are presented after a time. `later` counts the
    /// packets with a later time.
    private func isAfter(_ packet: MediaPacket, _ time: MediaTime, _ later: inout Int) -> Bool {
        if packet.presentationTime.isNumeric, packet.presentationTime > time { later += 1 }
        return later > Self.maximumReordering
    }

    /// Returns the time of the last keyframe that has not been sent yet and is presented at or
    /// before `time`.
    func keyframe(before time: MediaTime) -> MediaTime? {
        keyframeIndex(before: time).map { packets[$0].presentationTime }
    }

    private func keyframeIndex(before time: MediaTime) -> Int? {
        packets[head...].lastIndex {
            $0.isKeyframe && $0.presentationTime.isNumeric && $0.presentationTime <= time
        }
    }

    /// Skips to the last keyframe at or before `time`. Returns false if no packet that waits to be
    /// sent is such a keyframe.
    func skip(toKeyframeBefore time: MediaTime) -> Bool {
        guard let index = keyframeIndex(before: time) else { return false }
        for packet in packets[head..<index] { bytes -= packet.byteCount }
        head = index
        restartDecoder()
        return true
    }

    /// Returns the start of the last frame that begins at or before `time`; nil if there is no such
    /// frame. Only frames that the decoder holds or that wait to be sent are considered.
    func begin(ofPictureAt time: MediaTime) -> MediaTime? {
        begins.filter { $0 <= time }.max()
    }

    /// Returns the start of the first frame that begins at or after `time`; nil if there is no such
    /// frame. Only frames that the decoder holds or that wait to be sent are considered.
    func begin(from time: MediaTime) -> MediaTime? {
        begins.filter { $0 >= time }.min()
    }

    private var begins: some Sequence<MediaTime> {
        [inFlight, packets[head...].map(\.presentationTime)].lazy.joined()
    }

    /// Returns whether any frame that the decoder holds or that waits to be sent begins after a
    /// time.
    func hasPicture(after time: MediaTime) -> Bool {
        begins.contains { $0 > time }
    }

    /// Sets the time of the requested frame; `invalid` requests every frame.
    func aim(at time: MediaTime, stopping: Bool) {
        target = time
        stopsAtTarget = stopping
        hasStopped = false
    }

    /// A Boolean value that indicates whether the stream was ended after the target. The decoder
    /// then has to begin at a keyframe again.
    private(set) var hasStopped = false

    /// Returns the next packet for the decoder; nil at the end.
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

    /// Records that the decoder has returned all frames up to `time`.
    func forget(through time: MediaTime) {
        inFlight.removeAll { $0 <= time }
    }
}
