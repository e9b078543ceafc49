// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime
import PlayheadWriting

/// Sends frames to an open encoder and receives its packets.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `avcodec_send_frame` and `avcodec_receive_packet`.
struct EncoderOutput {
    let codec: UnsafeMutablePointer<AVCodecContext>
    /// The name of the encoded samples for error texts, such as "audio" or "a frame".
    let samples: String
    let subject: String

    /// Sends a frame, or nil for the end, and returns the packets that are complete.
    ///
    /// - Parameters:
    ///   - takesOne: A Boolean value that indicates whether only the first packet is returned. The
    ///     others remain for the next call.
    ///   - adjust: called with each packet before it is wrapped.
    func send(
        _ frame: UnsafeMutablePointer<AVFrame>?, takesOne: Bool = false,
        adjust: (UnsafeMutablePointer<AVPacket>) -> Void = { _ in }
    ) throws(MediaWritingError) -> [MediaPacket] {
        let result = avcodec_send_frame(codec, frame)
        // The end may be sent again.
        if frame != nil || FFmpegError(result) != .endOfFile { try check(result) }
        var packets: [MediaPacket] = []
        while packets.isEmpty || !takesOne {
            guard let box = PacketBox() else { throw MediaWritingError.outOfMemory(subject) }
            let result = avcodec_receive_packet(codec, box.pointer)
            if FFmpegError(result) == .again || FFmpegError(result) == .endOfFile {
                return packets
            }
            try check(result)
            adjust(box.pointer)
            packets.append(MediaPacket(encoded: box, timeBase: codec.pointee.time_base))
        }
        return packets
    }

    private func check(_ result: Int32) throws(MediaWritingError) {
        guard result < 0 else { return }
        throw MediaWritingError(
            .encodingFailed, subject: subject,
            cause: "\(samples) cannot be encoded (\(FFmpegError(result).text))",
            remedy: "use another codec")
    }
}

extension MediaPacket {
    /// Creates the packet of an encoder.
    fileprivate init(encoded box: PacketBox, timeBase base: AVRational) {
        let values = box.pointer.pointee
        self.init(
            trackID: 0, presentationTime: MediaTime(values.pts, timeBase: base),
            decodeTime: MediaTime(values.dts, timeBase: base),
            duration: MediaTime(duration: values.duration, timeBase: base),
            isKeyframe: values.flags & AV_PKT_FLAG_KEY != 0, byteCount: Int(values.size),
            payload: box)
    }
}
