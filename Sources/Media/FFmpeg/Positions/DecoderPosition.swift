// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadTime

/// A decoder in the middle of a group of pictures. After the packets in its log, it takes the next
/// one, so that a seek to a later time need not decode them again.
struct DecoderPosition {
    var codec: CodecContext
    var log: PacketLog
    /// The frames that the decoder has returned to make space for a packet.
    var overflow: [FrameBox]
    /// The beginning of the last frame that was returned.
    var lastTime: MediaTime
    var followingTime: MediaTime

    /// The number of packets below which decoding them again costs less than keeping a decoder.
    private static let minimumPackets = 12
    /// The size in packets of what is worth keeping.
    var isWorthKeeping: Bool {
        log.isComplete && log.count >= Self.minimumPackets && byteCount > 0
    }

    /// The size of the frames in the decoder, in bytes: the references, those that wait to be
    /// returned in order, and one in each thread. It is 0 if the format is not known yet.
    var byteCount: Int {
        let values = codec.pointer.pointee
        let frame = av_image_get_buffer_size(values.pix_fmt, values.width, values.height, 1)
        let references =
            switch values.codec_id {
            case AV_CODEC_ID_VP9, AV_CODEC_ID_AV1: Int32(8)
            default: max(values.refs, 4)
            }
        let count = references + values.has_b_frames + max(values.thread_count, 1)
        return max(0, Int(frame) * Int(count)) + overflow.count * Int(max(0, frame))
    }

    /// Returns whether the frames from a time on are all still to come.
    func reaches(_ limit: MediaTime) -> Bool { log.isPast(lastTime, before: limit) }
}
