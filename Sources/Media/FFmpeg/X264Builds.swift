// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The versions of x264 that encoded the tracks of a container.
///
/// Old versions do not follow the standard in some features; lossless and 4:4:4 video does so only
/// from version 151 on. FFmpeg's decoder follows them if it knows the version. x264 states it only
/// in the first packet, so a decoder that begins at another packet must be given the version.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: the option `x264_build` of FFmpeg's decoder.
struct X264Builds {
    private var examined: Set<Int> = []
    private var builds: [Int: Int32] = [:]

    /// The maximum size of a unit with a version; longer ones are ignored. x264 also states its
    /// options there, in less than 1,000 bytes.
    private static let maximumUnit = 1 << 16
    /// The size of the UUID before the text.
    private static let identifierSize = 16
    private static let maximumDigits = 9

    /// The version for a track; nil if the track's first packet states none.
    subscript(track: Int) -> Int32? { builds[track] }

    /// Reads the version in the first packet of a track, and ignores further packets.
    mutating func examine(_ packet: AVPacket, of codec: UnsafePointer<AVCodecParameters>) {
        let track = Int(packet.stream_index)
        guard codec.pointee.codec_id == AV_CODEC_ID_H264, let data = packet.data, packet.size > 0,
            examined.insert(track).inserted
        else { return }
        builds[track] = Self.build(
            in: NALUnits(
                UnsafeRawBufferPointer(start: data, count: Int(packet.size)),
                lengthSize: NALUnits.lengthSize(of: codec.pointee, at: 4)))
    }

    /// Returns the version that the units before the first slice state.
    static func build(in units: NALUnits) -> Int32? {
        var build: Int32?
        for unit in units {
            // nal_unit_type: 6 is supplemental information; 1 to 5 are slices (ISO/IEC 14496-10,
            // table 7-1).
            let type = unit[0] & 31
            if (1...5).contains(type) { break }
            guard type == 6, unit.count <= maximumUnit else { continue }
            // Type 5 is unregistered user data.
            for message in SupplementalMessages(unit, header: 1) where message.type == 5 {
                build = Self.build(in: message.payload.dropFirst(identifierSize)) ?? build
            }
        }
        return build
    }

    /// Returns the version in a text such as "x264 - core 142 r50".
    private static func build(in text: ArraySlice<UInt8>) -> Int32? {
        let start = Array("x264 - core ".utf8)
        guard text.starts(with: start) else { return nil }
        let digits = text.dropFirst(start.count).prefix(maximumDigits).prefix {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        let build = digits.reduce(0) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) }
        // FFmpeg takes a version that is written as 00001 for 67.
        if build == 1, digits.count > 4 { return 67 }
        return build > 0 ? build : nil
    }
}
