// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The operations that a reader applies to all its tracks.
protocol ReadingLane: AnyObject {
    var track: AssetTrack { get }
    /// The lead that decoding needs before a time for the samples at that time to be correct.
    var preroll: MediaTime { get }
    /// Discards everything, after a seek.
    func restart()
    /// Decodes the first sample after a seek and returns its time, or nil at the end. The sample is
    /// returned next.
    func land() throws(MediaError) -> MediaTime?
}

/// One track of a reader: its decoder, fed from the packets that the reader's demuxer finds.
///
/// - Concurrency: one thread at a time.
final class DecodingLane<Sample>: ReadingLane {
    let track: AssetTrack
    let preroll: MediaTime
    let loop: DecodingLoop<Sample>
    /// Returns the part of a sample inside a range, or nil.
    let clip: (Sample, MediaTimeRange) -> Sample?
    let time: (Sample) -> MediaTime
    /// A function that returns the end of a sample, or its beginning if the sample does not say.
    let end: (Sample) -> MediaTime
    private let flush: () -> Void
    /// A sample that was decoded to find the current position. It is returned next.
    private var held: Sample?

    private init(
        track: AssetTrack, preroll: MediaTime, loop: DecodingLoop<Sample>,
        time: @escaping (Sample) -> MediaTime, end: @escaping (Sample) -> MediaTime,
        clip: @escaping (Sample, MediaTimeRange) -> Sample?, flush: @escaping () -> Void
    ) {
        self.track = track
        self.preroll = preroll
        self.loop = loop
        self.time = time
        self.end = end
        self.clip = clip
        self.flush = flush
    }

    func restart() {
        flush()
        loop.restart()
        held = nil
    }

    func land() throws(MediaError) -> MediaTime? {
        held = try loop.next()
        return held.map(time)
    }

    func next() throws(MediaError) -> Sample? {
        if let sample = held {
            held = nil
            return sample
        }
        return try loop.next()
    }
}

extension DecodingLane where Sample == VideoFrame {
    /// Frames that begin in the range are included.
    convenience init(
        _ track: AssetTrack, decoder: any VideoDecoder, packets: PacketDistributor
    ) {
        self.init(
            track: track, preroll: .zero,
            loop: DecodingLoop(
                nextPacket: { () throws(MediaError) in try packets.nextPacket(of: track.id) },
                send: decoder.send, receive: decoder.receive),
            time: { $0.presentationTime },
            end: { $0.presentationTime + ($0.duration.isNumeric ? $0.duration : .zero) },
            clip: { $1.contains($0.presentationTime) ? $0 : nil }, flush: decoder.flush)
    }
}

extension DecodingLane where Sample == AudioBuffer {
    /// MP3 may refer back by up to 511 bytes, nine frames at the lowest rate; Opus asks for 80 ms
    /// (RFC 7845, 4.6), AAC and Vorbis for a frame. A quarter of a second covers them all.
    private static var soundPreroll: MediaTime { MediaTime(value: 1, timescale: 4) }

    /// Audio is cut to the range with sample accuracy.
    convenience init(
        _ track: AssetTrack, decoder: any AudioDecoder, packets: PacketDistributor
    ) {
        self.init(
            track: track, preroll: Self.soundPreroll,
            loop: DecodingLoop(
                nextPacket: { () throws(MediaError) in try packets.nextPacket(of: track.id) },
                send: decoder.send, receive: decoder.receive),
            time: { $0.presentationTime }, end: { $0.presentationTime + $0.duration },
            clip: { $0.clipped(to: $1) }, flush: decoder.flush)
    }
}
