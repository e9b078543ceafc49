// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// A result that states whether decoding can begin at a packet, based on the packet's own header.
///
/// Containers and parsers also mark some packets as keyframes although decoding cannot begin at
/// them: P-frames of H.263 in a 3GP file without a sync table, H.264 recovery points after which
/// frames are complete only later, and Cinepak frames that repaint only parts.
enum EntryPoint {
    /// Decoding can begin.
    case clean
    /// The frame refers to earlier frames.
    case dependent
    /// The header is not sufficient; the packet must be decoded to find out.
    case undetermined

    init(_ packet: AVPacket, of codec: AVCodecParameters) {
        guard let data = packet.data, packet.size > 0 else {
            self = .undetermined
            return
        }
        let bytes = UnsafeRawBufferPointer(start: data, count: Int(packet.size))
        switch codec.codec_id {
        case AV_CODEC_ID_H264: self = Self.ofH264(bytes, codec)
        case AV_CODEC_ID_HEVC: self = Self.ofHEVC(bytes, codec)
        case AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO:
            // picture_start_code; 10 bits of temporal_reference, 3 of picture_coding_type; 1 is
            // I (ISO/IEC 13818-2, 6.3.9).
            self = Self.type(in: bytes, after: 0x00, at: 1, shift: 3, mask: 7, intra: 1)
        case AV_CODEC_ID_MPEG4:
            // vop_start_code; 2 bits of vop_coding_type, of which 0 is I (ISO/IEC 14496-2, 6.3.5).
            let type = Self.type(in: bytes, after: 0xB6, at: 0, shift: 6, mask: 3, intra: 0)
            // Without a header, FFmpeg infers its fields from frames that were already decoded.
            let hasHeader = Self.hasLayerHeader(codec) || Self.hasLayerHeader(bytes)
            self = type == .clean && !hasHeader ? .dependent : type
        case AV_CODEC_ID_H263, AV_CODEC_ID_H263P: self = Self.ofH263(bytes)
        case AV_CODEC_ID_VP8:
            // The lowest bit of the frame tag is 0 for a key frame (RFC 6386, 9.1).
            self = bytes[0] & 1 == 0 ? .clean : .dependent
        case AV_CODEC_ID_THEORA:
            // A data packet begins with 0, then 0 for an intra frame (Theora specification, 7.1).
            self = bytes[0] & 0x40 == 0 ? .clean : .dependent
        case AV_CODEC_ID_VP9, AV_CODEC_ID_AV1: self = .clean
        default:
            let properties = avcodec_descriptor_get(codec.codec_id)?.pointee.props ?? 0
            self = properties & AV_CODEC_PROP_INTRA_ONLY != 0 ? .clean : .undetermined
        }
    }

    /// Returns whether packets of a codec may be marked as keyframes although they are not. The
    /// reason is that FFmpeg's parser does not check, or that encoders mark frames that repaint
    /// only parts. Only decoding shows whether a packet is a keyframe.
    static func isMarkedAtRandom(_ codec: AVCodecParameters) -> Bool {
        switch codec.codec_id {
        case AV_CODEC_ID_H261, AV_CODEC_ID_CAVS, AV_CODEC_ID_CINEPAK, AV_CODEC_ID_MSVIDEO1,
            AV_CODEC_ID_RPZA, AV_CODEC_ID_SMC, AV_CODEC_ID_QTRLE, AV_CODEC_ID_MSRLE,
            AV_CODEC_ID_ROQ:
            true
        default: false
        }
    }

    /// Returns whether bytes contain a video_object_layer_start_code, 0x20 to 0x2F (ISO/IEC
    /// 14496-2, table 6-3).
    private static func hasLayerHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 4 else { return false }
        return (0..<bytes.count - 3).contains {
            bytes[$0] == 0 && bytes[$0 + 1] == 0 && bytes[$0 + 2] == 1
                && bytes[$0 + 3] & 0xF0 == 0x20
        }
    }

    /// Returns whether the container stores a video object layer outside of the packets.
    private static func hasLayerHeader(_ codec: AVCodecParameters) -> Bool {
        hasLayerHeader(
            UnsafeRawBufferPointer(start: codec.extradata, count: Int(codec.extradata_size)))
    }

    /// Determines the type of the first frame after a start code.
    private static func type(
        in bytes: UnsafeRawBufferPointer, after code: UInt8, at offset: Int, shift: UInt8,
        mask: UInt8, intra: UInt8
    ) -> EntryPoint {
        var index = 0
        while index + 4 + offset < bytes.count {
            if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1,
                bytes[index + 3] == code
            {
                return bytes[index + 4 + offset] >> shift & mask == intra ? .clean : .dependent
            }
            index += 1
        }
        return .undetermined
    }

    /// Determines the type of an H.264 frame. Decoding can begin at an IDR picture, and at an I
    /// slice at a recovery point whose recovery_frame_cnt is 0.
    private static func ofH264(
        _ bytes: UnsafeRawBufferPointer, _ codec: AVCodecParameters
    ) -> EntryPoint {
        var recoversAtOnce = false
        for unit in NALUnits(bytes, lengthSize: NALUnits.lengthSize(of: codec, at: 4)) {
            // nal_unit_type (ITU-T H.264, table 7-1).
            switch unit[0] & 31 {
            case 5: return .clean
            case 6: recoversAtOnce = recoversAtOnce || recoveryFrameCount(unit) == 0
            case 1:
                var bits = NALBits(unit, from: 1)
                // first_mb_in_slice, slice_type: 2 and 7 are I.
                guard recoversAtOnce, bits.exponentialGolomb() != nil,
                    let type = bits.exponentialGolomb(), type % 5 == 2
                else { return .undetermined }
                return .clean
            default: continue
            }
        }
        return .undetermined
    }

    /// Returns the recovery_frame_cnt of the recovery point in a unit of supplemental information
    /// (D.1.8), payload type 6. Returns nil if there is no recovery point.
    private static func recoveryFrameCount(_ unit: UnsafeRawBufferPointer) -> Int? {
        var index = 1
        while index + 2 < unit.count {
            var (type, size) = (0, 0)
            while index < unit.count, unit[index] == 0xFF {
                (type, index) = (type + 255, index + 1)
            }
            guard index < unit.count else { return nil }
            (type, index) = (type + Int(unit[index]), index + 1)
            while index < unit.count, unit[index] == 0xFF {
                (size, index) = (size + 255, index + 1)
            }
            guard index < unit.count else { return nil }
            (size, index) = (size + Int(unit[index]), index + 1)
            if type == 6 {
                var bits = NALBits(unit, from: index)
                return bits.exponentialGolomb()
            }
            index += size
        }
        return nil
    }

    /// Determines the type of an H.263 frame. The picture coding type is bit 9 of PTYPE (ITU-T
    /// H.263, 5.1.3). If the source format announces PLUSPTYPE, it is at the start of MPPTYPE
    /// (5.1.4).
    private static func ofH263(_ bytes: UnsafeRawBufferPointer) -> EntryPoint {
        func bits(_ start: Int, _ count: Int) -> Int {
            (start..<start + count).reduce(0) {
                $0 << 1 | Int(bytes[$1 / 8] >> UInt8(7 - $1 % 8) & 1)
            }
        }
        guard bytes.count >= 8, bits(0, 22) == 32 else { return .undetermined }
        guard bits(35, 3) == 7 else { return bits(38, 1) == 0 ? .clean : .dependent }
        // If UFEP is 1, the 18 bits of OPPTYPE come before MPPTYPE.
        return bits(bits(38, 3) == 1 ? 59 : 41, 3) == 0 ? .clean : .dependent
    }

    /// Determines the type of an HEVC frame. Random access pictures are units of types 16 to 21
    /// (ITU-T H.265, table 7-1).
    private static func ofHEVC(
        _ bytes: UnsafeRawBufferPointer, _ codec: AVCodecParameters
    ) -> EntryPoint {
        for unit in NALUnits(bytes, lengthSize: NALUnits.lengthSize(of: codec, at: 21)) {
            let type = unit[0] >> 1 & 63
            if (16...21).contains(type) { return .clean }
            if type < 16 { return .undetermined }
        }
        return .undetermined
    }
}
