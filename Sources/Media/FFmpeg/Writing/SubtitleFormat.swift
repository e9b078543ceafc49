// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadWriting

/// The text of subtitles in the format of a container.
enum SubtitleFormat {
    /// Sets the parameters of a subtitle track.
    static func set(_ codec: UnsafeMutablePointer<AVCodecParameters>, for type: MediaFileType) {
        codec.pointee.codec_type = AVMEDIA_TYPE_SUBTITLE
        switch type {
        case .mp4, .quickTime:
            codec.pointee.codec_id = AV_CODEC_ID_MOV_TEXT
            setHeader(codec, to: sampleDescription)
        case .webM: codec.pointee.codec_id = AV_CODEC_ID_WEBVTT
        default: codec.pointee.codec_id = AV_CODEC_ID_SUBRIP
        }
    }

    /// Returns the data of a cue.
    static func payload(_ text: String, for type: MediaFileType) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(Int(UInt16.max)))
        guard type.isMovie else { return bytes }
        // The data consists of the length in 16 bits, followed by the text (3GPP TS 26.245, 5.17).
        return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
    }

    /// A sample description of timed text without its box header. The text is white and sans-serif,
    /// on a transparent background, at the bottom (3GPP TS 26.245, 5.16).
    private static let sampleDescription: [UInt8] =
        [0, 0, 0, 0, 1, 0xff, 0, 0, 0, 0]  // Flags, centred, at the bottom, background.
        + [0, 0, 0, 0, 0, 0, 0, 0]  // The box: the whole track.
        + [0, 0, 0, 0, 0, 1, 0, 18, 0xff, 0xff, 0xff, 0xff]  // Style: face 1, size 18, white.
        + [0, 0, 0, 23] + Array("ftab".utf8) + [0, 1, 0, 1, 10] + Array("Sans-Serif".utf8)

    private static func setHeader(
        _ codec: UnsafeMutablePointer<AVCodecParameters>, to header: [UInt8]
    ) {
        let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
        guard let bytes = av_mallocz(header.count + padding) else { return }
        bytes.copyMemory(from: header, byteCount: header.count)
        codec.pointee.extradata = bytes.assumingMemoryBound(to: UInt8.self)
        codec.pointee.extradata_size = Int32(header.count)
    }
}
