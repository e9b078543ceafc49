// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadTime

/// A reader of a container's packets that gives times to the first packets of a video, or of a
/// segment of it, if they have none. The times are counted back from the first packet that has one.
///
/// A video that arrives by RTP lacks the time of its first packet: FFmpeg's parser finds the time
/// of a frame by its position in the stream, and packets of RTP have no position. If the session
/// begins in the middle of a group of pictures, FFmpeg gives the first packet the time of a later
/// one. In an MPEG stream, not every frame needs a time (ISO/IEC 13818-1, 2.7.4).
///
/// The first packets are read ahead when the container is opened, so that each stream begins at the
/// time of its first packet. They are returned by the following calls. In the segments of a
/// playlist, packets are read ahead at each keyframe without a time.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the packets that were read ahead are freed on deallocation.
final class FirstPackets {
    private typealias Packet = UnsafeMutablePointer<AVPacket>
    private typealias Stream = UnsafeMutablePointer<AVStream>

    /// The formats that may state the times of some packets only. Others state the time of each
    /// packet, or of none.
    private static let formats: Set = ["hls", "mpeg", "mpegts", "sdp"]
    /// The maximum number of packets of all streams that are read ahead.
    private static let limit = 128
    /// The maximum number and size of the packets of all streams that are read ahead to find the
    /// time of audio: a segment or two.
    private static let audioLimit = (packets: 1024, bytes: 16 << 20)
    /// The distance between the beginnings of video and audio that is unusual, in microseconds.
    private static let unusualDistance: Int64 = 500_000
    /// The number of frames with times after which no earlier frame can follow: the size of the
    /// decoded picture buffer in H.264.
    private static let longestReordering = 16
    /// The maximum number of packets at the beginning for which FFmpeg has invented times.
    private static let inventedTimes = 3
    /// The time scales of AAC and MP3 without a container. In a playlist, they show that the
    /// segments state no times: FFmpeg gives the scale of MPEG to audio whose segments state some.
    private static let countedTimeBases: Set<Int32> = [28_224_000, 14_112_000]
    /// The frame rate from which a rate is not that of frames but the unit of times.
    private static let highestRate = 1000.0
    /// The distance between the first frame that is shown and the last one that was read, in
    /// frames, from which a keyframe without a time does not follow them.
    private static let leadingFrames: Int64 = 4
    /// The range of times with which arithmetic is safe. It does not contain `AV_NOPTS_VALUE`.
    private static let validTimes = -(Int64(1) << 61)...(1 << 61)
    /// The longest duration of a frame with which arithmetic is safe.
    private static let longestDuration = Int64(1) << 48

    /// The packets that were read ahead and not returned yet, in order.
    private var ahead: [Packet] = []
    /// A Boolean value that indicates whether no packet has been read since the beginning.
    private var isAtBeginning = true
    /// A Boolean value that indicates whether FFmpeg has invented times at the beginning of a
    /// playlist. It takes the first one for the beginning, and seeks by it.
    private(set) var hasInventedTimes = false
    /// The beginning of reading in the playlists; nil for other sources.
    private let listed: ListedBeginning?
    /// The numbers of ticks that are added to the times of streams without timestamps.
    private var shifts: [Int32: Int64] = [:]

    init(_ listed: ListedBeginning? = nil) { self.listed = listed }

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
        if ahead.isEmpty {
            let result = readFrame(into: packet, from: context)
            guard result.rawValue >= 0, lacksTime(packet, in: context),
                let first = av_packet_alloc()
            else { return result }
            av_packet_move_ref(first, packet)
            ahead = [first]
        }
        if lacksTime(ahead[0], in: context),
            let stream = context.pointee.streams[Int(ahead[0].pointee.stream_index)]
        {
            if Self.isVideo(stream) {
                readMore(of: [stream], in: context)
                complete(stream, in: context)
            } else {
                completeAudio(stream, in: context)
            }
        }
        let first = ahead.removeFirst()
        av_packet_move_ref(packet, first)
        Self.free(first)
        return FFmpegError(0)
    }

    /// Reads the next packet from the container.
    private func readFrame(
        into packet: UnsafeMutablePointer<AVPacket>,
        from context: UnsafeMutablePointer<AVFormatContext>
    ) -> FFmpegError {
        let result = FFmpegError(av_read_frame(context, packet))
        if result.rawValue >= 0, let shift = shifts[packet.pointee.stream_index] {
            Self.move(packet, by: shift)
        }
        return result
    }

    private static func move(_ packet: Packet, by shift: Int64) {
        for stamp in [\AVPacket.pts, \AVPacket.dts] {
            let value = packet.pointee[keyPath: stamp]
            if validTimes.contains(value) { packet.pointee[keyPath: stamp] = value + shift }
        }
    }

    /// Returns whether a packet is a keyframe of a video, or audio, without a time, in a playlist.
    private func lacksTime(
        _ packet: UnsafeMutablePointer<AVPacket>,
        in context: UnsafeMutablePointer<AVFormatContext>
    ) -> Bool {
        let values = packet.pointee
        guard values.flags & AV_PKT_FLAG_KEY != 0, values.pts == ph_AV_NOPTS_VALUE(),
            let stream = context.pointee.streams[Int(values.stream_index)],
            Self.isVideo(stream) || Self.isAudio(stream),
            Self.time(of: packet, in: stream) == nil
        else { return false }
        return Self.name(of: context) == "hls"
    }

    private static func name(of context: UnsafeMutablePointer<AVFormatContext>) -> String {
        String(cString: context.pointee.iformat.pointee.name)
    }

    private static func isVideo(_ stream: Stream) -> Bool {
        stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
            && stream.pointee.discard != AVDISCARD_ALL && !stream.isAttachedPicture
    }

    private static func isAudio(_ stream: Stream) -> Bool {
        stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
            && stream.pointee.discard != AVDISCARD_ALL
    }

    private static func isSession(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        name(of: context) == "sdp"
    }

    /// Reads ahead and completes the times, if no packet has been read since the beginning. After
    /// an error, the next read continues, and meets the error again if it lasts.
    func readAhead(in context: UnsafeMutablePointer<AVFormatContext>) {
        guard isAtBeginning else { return }
        isAtBeginning = false
        guard Self.formats.contains(Self.name(of: context)) else { return }
        let videos = (0..<Int(context.pointee.nb_streams)).compactMap {
            context.pointee.streams[$0]
        }.filter { Self.isVideo($0) }
        readMore(of: videos, in: context, isAtBeginning: true)
        for video in videos {
            complete(video, in: context, isAtBeginning: true)
            begin(video, in: context)
        }
        completeFirstAudio(in: context, beside: videos)
    }

    /// Reads ahead until the times of the first packets can be completed.
    private func readMore(
        of videos: [Stream], in context: UnsafeMutablePointer<AVFormatContext>,
        isAtBeginning: Bool = false
    ) {
        while ahead.count < Self.limit,
            videos.contains(where: { needsMore(of: $0, in: context, isAtBeginning) }),
            let packet = av_packet_alloc()
        {
            let result = readFrame(into: packet, from: context)
            if result.rawValue >= 0 {
                ahead.append(packet)
                continue
            }
            Self.free(packet)
            // A packet of RTP need not contain the rest of a frame.
            guard result == .again, Self.isSession(context) else { break }
        }
    }

    private func packets(of stream: Stream) -> [Packet] {
        ahead.filter { $0.pointee.stream_index == stream.pointee.index }
    }

    private func needsMore(
        of stream: Stream, in context: UnsafeMutablePointer<AVFormatContext>,
        _ isAtBeginning: Bool
    ) -> Bool {
        let packets = packets(of: stream)
        guard let first = packets.first else { return true }
        let isSession = Self.isSession(context)
        let delay = Int(max(0, stream.pointee.codecpar.pointee.video_delay))
        if Self.time(of: first, in: stream) != nil {
            guard isAtBeginning else { return false }
            if isSession { return packets.count < 2 }
            guard Self.isInventedTime(first, in: stream, of: context) else { return false }
            let invented = inventedCount(packets, of: stream, in: context)
            guard invented > 0 else { return packets.count <= Self.inventedTimes }
            return packets.count <= invented + (delay > 0 ? Self.longestReordering : 1)
        }
        // One of these frames is shown next, and two have a difference. A session has no open
        // group of pictures at its beginning, and waits for each packet.
        let count = delay == 0 || isSession ? delay + 1 : Self.longestReordering
        let timed = timed(packets, of: stream)
        return timed.count < max(count, 2) && timed.endIndex == packets.endIndex
    }

    /// Returns the packets with times that follow the first ones without, up to the next one
    /// without.
    private func timed(_ packets: [Packet], of stream: Stream) -> ArraySlice<Packet> {
        packets.drop { Self.time(of: $0, in: stream) == nil }
            .prefix { Self.time(of: $0, in: stream) != nil }
    }

    /// Returns whether a packet may have an invented time. FFmpeg's demuxer for playlists begins to
    /// count at 0 if the first packet of a segment has no time (confirmed in 5.1).
    private static func isInventedTime(
        _ packet: Packet, in stream: Stream, of context: UnsafeMutablePointer<AVFormatContext>
    ) -> Bool {
        packet.pointee.pts == 0 && packet.pointee.dts == 0 && name(of: context) == "hls"
    }

    /// Returns the number of the first packets of a video that have invented times. The next packet
    /// is later by more than two frames.
    private func inventedCount(
        _ packets: [Packet], of stream: Stream,
        in context: UnsafeMutablePointer<AVFormatContext>
    ) -> Int {
        guard let first = packets.first, Self.isInventedTime(first, in: stream, of: context),
            let duration = Self.frameDuration(of: stream, in: context, [])
        else { return 0 }
        var last: Int64 = 0
        for (index, packet) in packets.prefix(Self.inventedTimes + 1).enumerated() {
            let time = packet.pointee.dts
            guard Self.validTimes.contains(time) else { continue }
            if time - last > 2 * duration { return index }
            last = max(last, time)
        }
        return 0
    }

    /// Gives times to the first packets of a video.
    private func complete(
        _ stream: Stream, in context: UnsafeMutablePointer<AVFormatContext>,
        isAtBeginning: Bool = false
    ) {
        let packets = packets(of: stream)
        guard let first = packets.first else { return }
        var count = packets.prefix { Self.time(of: $0, in: stream) == nil }.count
        if isAtBeginning, Self.isSession(context), count == 0, packets.count > 1,
            Self.isLater(first, than: packets[1])
        {
            Self.removeTimes(of: first)
            count = 1
        }
        if isAtBeginning, count == 0 {
            count = inventedCount(packets, of: stream, in: context)
            hasInventedTimes = hasInventedTimes || count > 0
            for packet in packets.prefix(count) { Self.removeTimes(of: packet) }
        }
        let timed = timed(packets, of: stream)
        let times = timed.compactMap { Self.time(of: $0, in: stream) }.sorted()
        guard count > 0, let next = times.first,
            let duration = Self.frameDuration(of: stream, in: context, times)
        else { return }
        // Reordered frames follow in the order in which they are shown, which only the decoder
        // knows. The first one is a keyframe.
        let isReordered = stream.pointee.codecpar.pointee.video_delay > 0
        let number = isReordered ? 1 : count
        // Frames before the keyframe may follow it in an open group of pictures, and those behind
        // it may be among the frames without a time. Their places are free.
        let end = timed.last?.pointee.dts
        let places = Self.freePlaces(among: times, every: duration, until: end)
        // At a variable rate, places are free because no frame is there.
        let free = isReordered && places.count <= count ? places : []
        let before = max(count - free.count, 0)
        // If too few frames follow, the keyframe may be shown after them.
        if isReordered, !isAtBeginning, free.isEmpty {
            guard let end, Self.validTimes.contains(end),
                end - next >= duration * Self.leadingFrames
            else { return }
        }
        let decodeTime = packets[count].pointee.dts
        for (index, packet) in packets.prefix(number).enumerated() {
            let time =
                before == 0
                ? free[0] : next - duration * Int64((isReordered ? before : count) - index)
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

    // MARK: - Audio

    /// Completes the times of the first audio of a playlist if all audio of a segment has none.
    /// FFmpeg begins to count at 0 then, far from the time of the video.
    private func completeFirstAudio(
        in context: UnsafeMutablePointer<AVFormatContext>, beside videos: [Stream]
    ) {
        guard Self.name(of: context) == "hls" else { return }
        let video = videos.first { Self.validTimes.contains($0.pointee.start_time) }
        let isFar =
            video.map {
                abs(av_rescale_q($0.pointee.start_time, $0.pointee.time_base, microseconds))
                    >= Self.unusualDistance
            } ?? (videos.isEmpty && listed?.isUntimed == true)
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let audio = context.pointee.streams[index], Self.isAudio(audio) else { continue }
            if Self.countedTimeBases.contains(audio.pointee.time_base.den) {
                placeAudio(audio, beside: video)
                continue
            }
            // Audio may also begin at 0 itself.
            guard isFar, listed?.isUntimed != false, isCounted(audio, in: context) else {
                continue
            }
            completeAudio(audio, in: context)
            guard let first = packets(of: audio).first, first.pointee.pts != 0 else { continue }
            hasInventedTimes = true
            begin(audio, in: context)
        }
    }

    /// Returns whether FFmpeg counts the times of audio from 0 on. If it has read no time of the
    /// audio, it takes the beginning of another stream for that of the audio.
    private func isCounted(
        _ audio: Stream, in context: UnsafeMutablePointer<AVFormatContext>
    ) -> Bool {
        let (start, first) = (audio.pointee.start_time, context.pointee.start_time)
        let isKnown = start != 0 && Self.validTimes.contains(start)
        let isFirst =
            Self.validTimes.contains(first)
            && start == av_rescale_q(first, microseconds, audio.pointee.time_base)
        guard !isKnown || isFirst else { return false }
        while packets(of: audio).isEmpty, ahead.count < Self.limit, let packet = av_packet_alloc() {
            guard readFrame(into: packet, from: context).rawValue >= 0 else {
                Self.free(packet)
                break
            }
            ahead.append(packet)
        }
        return packets(of: audio).first?.pointee.pts == 0
    }

    /// Gives the times of the playlist to audio whose segments have none. FFmpeg begins to count at
    /// 0 at each opening and after each seek.
    private func placeAudio(_ audio: Stream, beside video: Stream?) {
        guard let listed else { return }
        hasInventedTimes = true
        var start = listed.main
        if let video {
            // Both playlists begin at the same time.
            let zero =
                MediaTime(video.pointee.start_time, timeBase: video.pointee.time_base) - listed.main
            start = zero + listed.rendition
        }
        guard let shift = start.timestamp(in: audio.pointee.time_base),
            Self.validTimes.contains(shift), shift != 0
        else { return }
        shifts[audio.pointee.index] = shift
        for packet in packets(of: audio) { Self.move(packet, by: shift) }
        let begin = audio.pointee.start_time
        audio.pointee.start_time = (Self.validTimes.contains(begin) ? begin : 0) + shift
    }

    /// Gives times to the first packets of audio that have none or invented ones, counted back from
    /// the next packet that states one.
    private func completeAudio(
        _ audio: Stream, in context: UnsafeMutablePointer<AVFormatContext>
    ) {
        var (number, byteCount, isFirst) = (0, 0, true)
        var (expected, timed): (Int64?, Packet?)
        while timed == nil {
            if number == ahead.count {
                guard number < Self.audioLimit.packets, byteCount < Self.audioLimit.bytes,
                    let packet = av_packet_alloc()
                else { break }
                guard readFrame(into: packet, from: context).rawValue >= 0 else {
                    Self.free(packet)
                    break
                }
                byteCount += Int(max(packet.pointee.size, 0))
                ahead.append(packet)
            }
            let packet = ahead[number]
            number += 1
            guard packet.pointee.stream_index == audio.pointee.index else { continue }
            let (time, duration) = (packet.pointee.pts, packet.pointee.duration)
            guard duration > 0, duration <= Self.longestDuration else { return }
            guard Self.validTimes.contains(time) else {
                (isFirst, expected) = (false, nil)
                continue
            }
            // The packet states a time if it follows one without a time, or does not continue the
            // one before it.
            if !isFirst, expected.map({ abs(time - $0) > 2 * duration }) ?? true { timed = packet }
            (isFirst, expected) = (false, time + duration)
        }
        guard var time = timed?.pointee.pts else { return }
        for packet in packets(of: audio).reversed().drop(while: { $0 != timed }).dropFirst() {
            time -= packet.pointee.duration
            guard Self.validTimes.contains(time) else { return }
            (packet.pointee.pts, packet.pointee.dts) = (time, time)
        }
    }

    // MARK: - Times

    /// Returns the times between those of frames at which no frame has been read. Frames that
    /// follow are shown after `end`.
    private static func freePlaces(
        among times: [Int64], every duration: Int64, until end: Int64?
    ) -> [Int64] {
        guard let end, validTimes.contains(end), duration > 0 else { return [] }
        var places: [Int64] = []
        for (time, next) in zip(times, times.dropFirst()) where time < end {
            let steps = (next - time + duration / 2) / duration
            guard steps > 1, steps <= Int64(longestReordering) else { continue }
            places += (1..<steps).map { time + $0 * duration }.filter { $0 <= end }
        }
        return places
    }

    /// Sets the beginning of a stream to the time of its first packet if that is earlier, or if the
    /// beginning was invented. Its end stays where it is.
    private func begin(_ stream: Stream, in context: UnsafeMutablePointer<AVFormatContext>) {
        let start = stream.pointee.start_time
        guard let first = packets(of: stream).first, let time = Self.time(of: first, in: stream),
            Self.validTimes.contains(start), hasInventedTimes ? time != start : time < start
        else { return }
        stream.pointee.start_time = time
        if stream.pointee.duration > 0 { stream.pointee.duration += start - time }
        let (earliest, previous) = (
            av_rescale_q(time, stream.pointee.time_base, microseconds), context.pointee.start_time
        )
        guard previous != ph_AV_NOPTS_VALUE(), earliest < previous else { return }
        context.pointee.start_time = earliest
        if context.pointee.duration > 0 { context.pointee.duration += previous - earliest }
    }

    /// Returns the duration of a frame, in units of the stream; nil if it is unknown.
    private static func frameDuration(
        of stream: Stream, in context: UnsafeMutablePointer<AVFormatContext>, _ times: [Int64]
    ) -> Int64? {
        let rate = av_guess_frame_rate(context, stream, nil)
        let durations =
            rate.num > 0 && rate.den > 0 && av_q2d(rate) < highestRate
            ? [av_rescale_q(1, av_inv_q(rate), stream.pointee.time_base)]
            : zip(times, times.dropFirst()).map { $1 - $0 }
        return durations.filter { $0 > 0 && $0 <= longestDuration }.min()
    }

    /// Returns the PTS of a packet or, without one, the DTS if frames are not reordered; nil if it
    /// has neither.
    private static func time(of packet: Packet, in stream: Stream) -> Int64? {
        let values = packet.pointee
        let isReordered = stream.pointee.codecpar.pointee.video_delay > 0
        let time =
            values.pts != ph_AV_NOPTS_VALUE() || isReordered ? values.pts : values.dts
        return validTimes.contains(time) ? time : nil
    }

    private static func removeTimes(of packet: Packet) {
        (packet.pointee.pts, packet.pointee.dts) = (ph_AV_NOPTS_VALUE(), ph_AV_NOPTS_VALUE())
    }

    /// Returns whether a packet has a later DTS than the next one.
    private static func isLater(_ packet: Packet, than next: Packet) -> Bool {
        let (time, limit) = (packet.pointee.dts, next.pointee.dts)
        return validTimes.contains(limit) && time >= limit
    }
}
