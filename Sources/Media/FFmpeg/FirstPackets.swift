// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// A reader of a container's packets that gives times to the first packets of a video if they have
/// none. The times are counted back from the first packet that has one.
///
/// A video that arrives by RTP lacks the time of its first packet: FFmpeg's parser finds the time
/// of a frame by its position in the stream, and packets of RTP have no position. If the session
/// begins in the middle of a group of pictures, FFmpeg gives the first packet the time of a later
/// one. In an MPEG stream, not every frame needs a time (ISO/IEC 13818-1, 2.7.4).
///
/// The first packets are read ahead when the container is opened, so that each stream begins at the
/// time of its first packet. They are returned by the following calls.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the packets that were read ahead are freed on deallocation.
final class FirstPackets {
    private typealias Packet = UnsafeMutablePointer<AVPacket>

    /// The formats that may state the times of some packets only. Others state the time of each
    /// packet, or of none.
    private static let formats: Set = ["mpeg", "mpegts", "sdp"]
    /// The maximum number of packets of all streams that are read ahead.
    private static let limit = 64
    /// The frame rate from which a rate is not that of frames but the unit of times.
    private static let highestRate = 1000.0
    /// The range of times with which arithmetic is safe. It does not contain `AV_NOPTS_VALUE`.
    private static let validTimes = -(Int64(1) << 62)...(1 << 62)

    /// The packets that were read ahead and not returned yet, in order.
    private var ahead: [Packet] = []
    /// A Boolean value that indicates whether no packet has been read since the beginning.
    private var isAtBeginning = true

    deinit { freeAll() }

    private func freeAll() {
        for packet in ahead { Self.free(packet) }
        ahead = []
    }

    private static func free(_ packet: Packet) {
        var packet: Packet? = packet
        av_packet_free(&packet)
    }

    /// Forgets the packets that were read ahead, because the container was moved.
    func move(isToBeginning: Bool) {
        freeAll()
        isAtBeginning = isToBeginning
    }

    /// Reads the next packet into an empty one.
    func read(
        into packet: UnsafeMutablePointer<AVPacket>,
        from context: UnsafeMutablePointer<AVFormatContext>
    ) -> FFmpegError {
        readAhead(in: context)
        guard !ahead.isEmpty else { return FFmpegError(av_read_frame(context, packet)) }
        let first = ahead.removeFirst()
        av_packet_move_ref(packet, first)
        Self.free(first)
        return FFmpegError(0)
    }

    /// Reads ahead and completes the times, if no packet has been read since the beginning. After
    /// an error, the next read continues, and meets the error again if it lasts.
    func readAhead(in context: UnsafeMutablePointer<AVFormatContext>) {
        guard isAtBeginning else { return }
        isAtBeginning = false
        let format = String(cString: context.pointee.iformat.pointee.name)
        guard Self.formats.contains(format) else { return }
        let isSession = format == "sdp"
        let videos = (0..<Int(context.pointee.nb_streams)).compactMap {
            context.pointee.streams[$0]
        }.filter {
            $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
                && $0.pointee.discard != AVDISCARD_ALL
        }
        while ahead.count < Self.limit,
            videos.contains(where: { needsMore(of: $0, isSession: isSession) }),
            let packet = av_packet_alloc()
        {
            let result = FFmpegError(av_read_frame(context, packet))
            if result.rawValue >= 0 {
                ahead.append(packet)
                continue
            }
            Self.free(packet)
            // A packet of RTP need not contain the rest of a frame.
            guard result == .again, isSession else { break }
        }
        for video in videos { complete(video, in: context, isSession: isSession) }
    }

    private func packets(of stream: UnsafeMutablePointer<AVStream>) -> [Packet] {
        ahead.filter { $0.pointee.stream_index == stream.pointee.index }
    }

    private func needsMore(
        of stream: UnsafeMutablePointer<AVStream>, isSession: Bool
    ) -> Bool {
        let packets = packets(of: stream)
        guard let first = packets.first else { return true }
        if Self.time(of: first, in: stream) != nil { return isSession && packets.count < 2 }
        // One of these frames is shown next, and two have a difference.
        let delay = Int(max(0, stream.pointee.codecpar.pointee.video_delay))
        return packets.count(where: { Self.time(of: $0, in: stream) != nil }) < max(delay, 1) + 1
    }

    /// Gives times to the first packets of a video, and sets the beginning of the stream.
    private func complete(
        _ stream: UnsafeMutablePointer<AVStream>,
        in context: UnsafeMutablePointer<AVFormatContext>, isSession: Bool
    ) {
        let packets = packets(of: stream)
        guard let first = packets.first else { return }
        var count = packets.prefix { Self.time(of: $0, in: stream) == nil }.count
        if isSession, count == 0, packets.count > 1, Self.isLater(first, than: packets[1]) {
            first.pointee.dts = ph_AV_NOPTS_VALUE()
            count = 1
        }
        let times = packets.dropFirst(count).compactMap { Self.time(of: $0, in: stream) }.sorted()
        if count > 0, let next = times.first,
            let duration = Self.frameDuration(of: stream, in: context, times)
        {
            // Reordered frames follow in the order in which they are shown, which only the decoder
            // knows. The first one is a keyframe.
            let isReordered = stream.pointee.codecpar.pointee.video_delay > 0
            let number = isReordered ? 1 : count
            let decodeTime = packets[count].pointee.dts
            for (index, packet) in packets.prefix(number).enumerated() {
                let time = next - duration * Int64(number - index)
                packet.pointee.pts = time
                let isDecodeTimeKnown =
                    isReordered && Self.validTimes.contains(packet.pointee.dts)
                if !isDecodeTimeKnown {
                    let isNextKnown = isReordered && Self.validTimes.contains(decodeTime)
                    packet.pointee.dts =
                        isNextKnown ? min(time, decodeTime - duration * Int64(count)) : time
                }
            }
        }
        if let time = Self.time(of: first, in: stream) { begin(stream, at: time, in: context) }
    }

    /// Sets the beginning of a stream to an earlier time. Its end stays where it is.
    private func begin(
        _ stream: UnsafeMutablePointer<AVStream>, at time: Int64,
        in context: UnsafeMutablePointer<AVFormatContext>
    ) {
        let start = stream.pointee.start_time
        guard start != ph_AV_NOPTS_VALUE(), time < start else { return }
        stream.pointee.start_time = time
        if stream.pointee.duration > 0 { stream.pointee.duration += start - time }
        let (first, previous) = (
            av_rescale_q(time, stream.pointee.time_base, microseconds), context.pointee.start_time
        )
        guard previous != ph_AV_NOPTS_VALUE(), first < previous else { return }
        context.pointee.start_time = first
        if context.pointee.duration > 0 { context.pointee.duration += previous - first }
    }

    /// Returns the duration of a frame, in units of the stream; nil if it is unknown.
    private static func frameDuration(
        of stream: UnsafeMutablePointer<AVStream>,
        in context: UnsafeMutablePointer<AVFormatContext>, _ times: [Int64]
    ) -> Int64? {
        let rate = av_guess_frame_rate(context, stream, nil)
        if rate.num > 0, rate.den > 0, av_q2d(rate) < highestRate {
            return av_rescale_q(1, av_inv_q(rate), stream.pointee.time_base)
        }
        return zip(times, times.dropFirst()).lazy.map { $1 - $0 }.first { $0 > 0 }
    }

    /// Returns the PTS of a packet or, without one, the DTS if frames are not reordered; nil if it
    /// has neither.
    private static func time(
        of packet: Packet, in stream: UnsafeMutablePointer<AVStream>
    ) -> Int64? {
        let values = packet.pointee
        let isReordered = stream.pointee.codecpar.pointee.video_delay > 0
        let time =
            values.pts != ph_AV_NOPTS_VALUE() || isReordered ? values.pts : values.dts
        return validTimes.contains(time) ? time : nil
    }

    /// Returns whether a packet has a later DTS than the next one.
    private static func isLater(_ packet: Packet, than next: Packet) -> Bool {
        let (time, limit) = (packet.pointee.dts, next.pointee.dts)
        return validTimes.contains(limit) && time >= limit
    }
}
