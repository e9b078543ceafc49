// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The operations that a reader applies to all its tracks.
protocol ReadingLane: AnyObject {
    var track: AssetTrack { get }
    /// The duration that must be decoded before a time so that the samples at that time are
    /// correct.
    var preroll: MediaTime { get }
    /// Discards everything that was read and decoded, after a seek.
    func restart()
    /// Decodes the first sample after a seek and returns its time, or nil at the end. That sample
    /// is returned by the next call that reads.
    func land() throws(MediaError) -> MediaTime?
}

/// One track of a reader, with a decoder that receives packets from the reader's demuxer.
///
/// - Concurrency: one thread at a time.
final class DecodingLane<Sample>: ReadingLane {
    let track: AssetTrack
    let preroll: MediaTime
    let loop: DecodingLoop<Sample>
    /// A function that returns the part of a sample inside a range, or nil if there is no such
    /// part.
    let clip: (Sample, MediaTimeRange) -> Sample?
    let time: (Sample) -> MediaTime
    /// A function that returns the end of a sample, or the beginning if the sample states no end.
    let end: (Sample) -> MediaTime
    private let flush: () -> Void
    /// A sample that was decoded only to find the current position. It is returned next.
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
    /// Creates the lane of a video track. It returns the frames that begin in the range.
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
    /// The duration of audio to decode before a time. A quarter of a second is enough for all
    /// codecs: MP3 may refer back by up to 511 bytes, which is nine frames at the lowest rate; Opus
    /// needs 80 ms (RFC 7845, 4.6); AAC and Vorbis need one frame.
    private static var soundPreroll: MediaTime { MediaTime(value: 1, timescale: 4) }

    /// Creates the lane of an audio track. Audio is cut to the range with sample accuracy.
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
