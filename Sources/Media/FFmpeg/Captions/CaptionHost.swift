// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// A stream that contains captions: a video with captions in the user data of its frames, or a
/// caption track. It returns captions in the order in which frames are shown.
///
/// - Concurrency: one thread at a time.
struct CaptionHost {
    /// The form in which packets contain captions.
    enum Form {
        case mpeg2
        /// The captions are in NAL units of H.264. The associated value is the size of the length
        /// field before each unit, in bytes, or nil if units begin with start codes.
        case h264(lengthSize: Int?)
        case hevc(lengthSize: Int?)
        /// Three bytes for each `CaptionPair`: a byte with its kind, then its two bytes of data.
        /// FFmpeg returns the samples of `c608` tracks and SCC in this form.
        case triples
        /// Caption distribution packets in the boxes of `c708` tracks.
        case distributionPackets
    }

    /// The captions of a frame.
    struct Entry {
        var time: MediaTime
        var duration: MediaTime
        var payload: CaptionPayload
    }

    let form: Form
    /// Captions whose position in the order is not certain yet, sorted by time.
    private var waiting: [Entry] = []
    /// Captions in order, ready to be read.
    private(set) var ready: [Entry] = []

    /// The number of waiting captions above which the position of the earliest one is certain. It
    /// is one more than the maximum number of frames that decoders reorder, 16 (ISO/IEC 14496-10,
    /// A.3.1).
    private static let maximumReordering = 17

    /// Creates a host for a stream; nil if the stream cannot have captions.
    init?(_ stream: UnsafeMutablePointer<AVStream>) {
        let codec = stream.pointee.codecpar.pointee
        switch codec.codec_id {
        case AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO: form = .mpeg2
        case AV_CODEC_ID_H264: form = .h264(lengthSize: NALUnits.lengthSize(of: codec, at: 4))
        case AV_CODEC_ID_HEVC: form = .hevc(lengthSize: NALUnits.lengthSize(of: codec, at: 21))
        case AV_CODEC_ID_EIA_608: form = .triples
        default:
            guard Self.isDistribution(codec) else { return nil }
            form = .distributionPackets
        }
        if stream.isAttachedPicture { return nil }
    }

    /// Returns whether a stream is a `c708` track of QuickTime.
    static func isDistribution(_ codec: AVCodecParameters) -> Bool {
        codec.codec_tag == 0x3830_3763
    }

    /// A Boolean value that indicates whether the stream is a caption track.
    var isTrack: Bool {
        switch form {
        case .triples, .distributionPackets: true
        case .mpeg2, .h264, .hevc: false
        }
    }

    /// Reads the captions of a packet.
    mutating func take(_ packet: MediaPacket, _ box: PacketBox) {
        let isShown = packet.presentationTime.isNumeric
        let time = isShown ? packet.presentationTime : packet.decodeTime
        guard time.isNumeric else { return }
        let pairs = CaptionUserData.pairs(of: box, form)
        let isSequence = if case .triples = form { true } else { false }
        let entry = Entry(
            time: time, duration: packet.duration,
            payload: CaptionPayload(pairs, isSequence: isSequence))
        let place = waiting.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        waiting.insert(entry, at: place)
        // A frame is not shown before it is decoded, so the frames that follow in the file are
        // shown later than this time.
        let settled = isTrack ? time : isShown ? packet.decodeTime : .invalid
        let count =
            settled.isNumeric
            ? waiting.firstIndex { $0.time > settled } ?? waiting.count : 0
        release(max(count, waiting.count - Self.maximumReordering))
    }

    private mutating func release(_ count: Int) {
        guard count > 0 else { return }
        ready += waiting.prefix(count)
        waiting.removeFirst(count)
    }

    /// Makes all captions ready, at the end of the file.
    mutating func finish() { release(waiting.count) }

    mutating func pop() -> Entry? { ready.isEmpty ? nil : ready.removeFirst() }

    /// Discards all captions, for a seek.
    mutating func clear() { (waiting, ready) = ([], []) }
}
