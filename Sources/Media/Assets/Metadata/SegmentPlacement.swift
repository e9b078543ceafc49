// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The placement of event messages on the timeline of an asset.
///
/// The times that a segment states are not those at which its frames are shown: FFmpeg applies edit
/// lists, moves tracks whose frames would be shown before they are decoded, and corrects timestamps
/// that restart. Messages therefore wait for the packet of the first sample of their segment. The
/// time of that packet is the beginning of the segment, and its distance from the time that the
/// segment states is that of all messages.
///
/// The packet has the size of the sample. Its decode time is the stated one minus a delay that is
/// the same for all segments of a stream: that of the first packet that was recognised.
///
/// - Concurrency: a value, on the demuxer's thread.
package struct SegmentPlacement: Sendable {
    /// A packet in the order of reading.
    package struct Packet: Sendable {
        package var stream: Int
        package var isVideo: Bool
        package var isKeyframe: Bool
        package var byteCount: Int
        /// The number of units in a second.
        package var timescale: Int32
        /// The times in the stream, in units of `timescale`.
        package var decodeTime: Int64
        package var timestamp: Int64
        /// The time of presentation on the timeline of the asset.
        package var presentationTime: MediaTime

        package init(
            stream: Int, isVideo: Bool, isKeyframe: Bool, byteCount: Int, timescale: Int32,
            decodeTime: Int64, timestamp: Int64, presentationTime: MediaTime
        ) {
            (self.stream, self.isVideo, self.isKeyframe) = (stream, isVideo, isKeyframe)
            (self.byteCount, self.timescale) = (byteCount, timescale)
            (self.decodeTime, self.timestamp) = (decodeTime, timestamp)
            self.presentationTime = presentationTime
        }
    }

    /// A message with its time on the timeline of the asset.
    package struct Placed: Sendable, Hashable {
        package var message: EventMessage
        package var start: MediaTime

        package init(message: EventMessage, start: MediaTime) {
            (self.message, self.start) = (message, start)
        }
    }

    /// A packet that is the first one of a track in a segment.
    private struct Beginning {
        let packet: Packet
        let track: FragmentTrack
        /// The stated decode time minus that of the packet.
        let delay: Int64

        /// Fails if the packet is not that of the sample.
        init?(_ packet: Packet, of track: FragmentTrack) {
            // Fragments leave out the sizes of uncompressed audio, which are all the same.
            guard track.byteCount.map({ $0 == packet.byteCount }) ?? !packet.isVideo else {
                return nil
            }
            let (delay, overflows) =
                track.decodeTime.subtractingReportingOverflow(packet.decodeTime)
            guard !overflows else { return nil }
            (self.packet, self.track, self.delay) = (packet, track, delay)
        }

        /// The time at which the first frame of the track in the segment is shown.
        var time: MediaTime {
            packet.presentationTime + MediaTime(value: track.lead, timescale: packet.timescale)
        }

        /// The difference between the timeline of the asset and the stated times; invalid if those
        /// are out of range.
        var shift: MediaTime {
            let (stated, overflows) =
                packet.decodeTime.addingReportingOverflow(track.compositionOffset)
            guard !overflows else { return .invalid }
            return packet.presentationTime - MediaTime(value: stated, timescale: packet.timescale)
        }
    }

    /// A segment whose beginning is not known yet.
    private struct Segment {
        var events: SegmentEvents
        /// The first packets of its tracks, as far as they have been read.
        var beginnings: [Int: Beginning] = [:]
        /// Packets that may be the first ones if those that are expected do not come.
        var candidates: [Int: Beginning] = [:]
        /// The number of packets that were read since it was added.
        var age = 0

        /// The first frame of video or, without video, the earliest packet.
        var beginning: Beginning? {
            let video = beginnings.values.filter(\.packet.isVideo)
            return (video.isEmpty ? Array(beginnings.values) : video)
                .min { $0.time < $1.time }
        }

        var isComplete: Bool { beginnings.count == events.tracks.count }
    }

    private var segments: [Segment] = []
    /// The differences between stated decode times and those of packets, for each stream.
    private var delays: [Int: Int64] = [:]

    /// The maximum number of segments that wait, and the maximum size of their messages. What
    /// exceeds this is dropped.
    private static let limit = (segments: 64, bytes: 2 << 20)
    /// The number of packets after which the expected one no longer comes: more than are read ahead
    /// of the one that is returned when a container is probed.
    private static let patience = 1024
    /// The largest change of the delay of a stream, in seconds.
    private static let largestChange: Int64 = 10
    /// The maximum time from the beginning of audio to that of the timeline: its priming, which is
    /// not heard.
    private static let priming = MediaTime(value: 1, timescale: 10)
    /// The latest time that is believed.
    private static let latest = MediaTime(value: Int64(Int32.max), timescale: 1)

    package init() {}

    /// A Boolean value that indicates whether segments wait for packets.
    package var isWaiting: Bool { !segments.isEmpty }

    /// Adds a segment whose packets follow.
    package mutating func add(_ events: SegmentEvents) {
        guard !events.messages.isEmpty || !events.tracks.isEmpty else { return }
        var events = events
        if segments.count == Self.limit.segments { segments.removeFirst() }
        let size = segments.reduce(events.byteCount) { $0 + $1.events.byteCount }
        if size > Self.limit.bytes { events.removeMessages() }
        segments.append(Segment(events: events))
    }

    /// Takes a packet that was read.
    ///
    /// - Parameters:
    ///   - expectsVideo: A Boolean value that indicates whether packets of video are read. A
    ///     segment with several tracks then begins with its first frame.
    ///   - start: The beginning of the timeline; nil if there may be something before it.
    /// - Returns: The messages whose times are known now.
    package mutating func take(
        _ packet: Packet, expectsVideo: Bool, from start: MediaTime?
    ) -> [Placed] {
        guard isWaiting, packet.presentationTime.isNumeric, packet.timescale > 0 else { return [] }
        recognize(packet)
        acceptCandidates(before: packet)
        var placed: [Placed] = []
        segments.removeAll { segment in
            let isOver = segment.age > Self.patience || segment.events.tracks.isEmpty
            if let beginning = segment.beginning,
                beginning.packet.isVideo || !expectsVideo || segment.isComplete || isOver
            {
                placed += Self.place(segment.events, at: beginning, from: start)
                return true
            }
            if isOver { placed += Self.place(segment.events, beside: packet) }
            return isOver
        }
        return placed
    }

    /// Finds the segment that begins with a packet.
    private mutating func recognize(_ packet: Packet) {
        for index in segments.indices { segments[index].age += 1 }
        for index in segments.indices {
            let segment = segments[index]
            for (number, track) in segment.events.tracks.enumerated()
            where segment.beginnings[number] == nil {
                guard let found = Beginning(packet, of: track) else { continue }
                let known = delays[packet.stream]
                if known.map({ $0 == found.delay }) ?? packet.isKeyframe {
                    delays[packet.stream] = found.delay
                    segments[index].beginnings[number] = found
                    return
                }
                guard let known, packet.isKeyframe, track.byteCount != nil,
                    let change = Self.distance(known, found.delay),
                    change <= Self.largestChange * Int64(packet.timescale)
                else { continue }
                let best = segment.candidates[number].flatMap { Self.distance(known, $0.delay) }
                if change < best ?? .max { segments[index].candidates[number] = found }
            }
        }
    }

    /// Accepts packets that were not expected as first ones, if the time of those that were is
    /// over: the delay of the stream has changed, because its header has.
    private mutating func acceptCandidates(before packet: Packet) {
        guard let delay = delays[packet.stream] else { return }
        for index in segments.indices {
            for (number, candidate) in segments[index].candidates
            where candidate.packet.stream == packet.stream
                && segments[index].beginnings[number] == nil
            {
                let (expected, overflows) =
                    candidate.track.decodeTime.subtractingReportingOverflow(delay)
                guard !overflows, packet.decodeTime > expected else { continue }
                delays[packet.stream] = candidate.delay
                segments[index].beginnings[number] = candidate
            }
        }
    }

    private static func distance(_ one: Int64, _ other: Int64) -> Int64? {
        let (difference, overflows) = one.subtractingReportingOverflow(other)
        return overflows || difference == .min ? nil : abs(difference)
    }

    /// Returns the messages of a segment whose first packet is known.
    private static func place(
        _ events: SegmentEvents, at beginning: Beginning, from start: MediaTime?
    ) -> [Placed] {
        var time = beginning.time
        if let start, time < start, start - time <= priming { time = start }
        return place(events, at: time, shift: beginning.shift)
    }

    /// Returns the messages of a segment whose first packet has not come. Those that are relative
    /// to it have no time.
    private static func place(_ events: SegmentEvents, beside packet: Packet) -> [Placed] {
        let stated = MediaTime(value: packet.timestamp, timescale: packet.timescale)
        return place(events, at: .invalid, shift: packet.presentationTime - stated)
    }

    private static func place(
        _ events: SegmentEvents, at beginning: MediaTime, shift: MediaTime
    ) -> [Placed] {
        events.messages.compactMap { message in
            let start: MediaTime
            switch message.start {
            case .timestamp(let time): start = time + shift
            case .distance(let distance): start = beginning + distance
            }
            guard start.isNumeric, start.magnitude <= latest else { return nil }
            return Placed(message: message, start: start)
        }
    }
}
