// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A parser of the captions in the packets of a stream.
enum CaptionUserData {
    /// The maximum size of a unit with captions; longer ones are ignored. The 31 pairs that a frame
    /// can have take 93 bytes.
    private static let maximumUnit = 4096

    static func pairs(in bytes: UnsafeRawBufferPointer, _ form: CaptionHost.Form) -> [CaptionPair] {
        switch form {
        case .mpeg2: inMPEG2(bytes)
        case .h264(let lengthSize):
            inUnits(NALUnits(bytes, lengthSize: lengthSize), header: 1) { unit in
                // nal_unit_type: 6 is SEI; 1 to 5 are slices, which follow it (ISO/IEC 14496-10,
                // table 7-1).
                let type = unit[0] & 31
                return type == 6 ? .information : (1...5).contains(type) ? .picture : .other
            }
        case .hevc(let lengthSize):
            inUnits(NALUnits(bytes, lengthSize: lengthSize), header: 2) { unit in
                // 39 is prefix SEI, up to 31 are slices (ISO/IEC 23008-2, table 7-1).
                let type = unit[0] >> 1 & 63
                return type == 39 ? .information : type < 32 ? .picture : .other
            }
        case .triples: fields(of: CaptionPair.pairs(bytes))
        case .distributionPackets: inDistributionPackets(bytes)
        }
    }

    // MARK: - NAL units

    private enum Unit { case information, picture, other }

    private static func inUnits(
        _ units: NALUnits, header: Int, _ kind: (UnsafeRawBufferPointer) -> Unit
    ) -> [CaptionPair] {
        var pairs: [CaptionPair] = []
        for unit in units where unit.count > header {
            switch kind(unit) {
            case .picture: return pairs
            case .other: continue
            case .information:
                guard unit.count <= maximumUnit else { continue }
                pairs += inInformation(SupplementalMessages(unit, header: header))
            }
        }
        return pairs
    }

    /// Returns the captions among messages of supplemental enhancement information: type 4, user
    /// data registered by ITU-T T.35.
    private static func inInformation(_ messages: SupplementalMessages) -> [CaptionPair] {
        var pairs: [CaptionPair] = []
        // Country 181 is the United States, provider 49 is ATSC (ATSC A/72 Part 1, 6.4.2).
        for message in messages
        where message.type == 4 && message.payload.starts(with: [0xB5, 0x00, 0x31]) {
            pairs += inUserData(message.payload.dropFirst(3))
        }
        return pairs
    }

    /// Returns the captions in ATSC1_data (ATSC A/53 Part 4, 6.2.3).
    private static func inUserData(_ bytes: some Collection<UInt8>) -> [CaptionPair] {
        guard bytes.starts(with: [0x47, 0x41, 0x39, 0x34, 0x03]) else { return [] }
        let rest = bytes.dropFirst(5)
        // process_cc_data_flag, then the number of pairs; em_data follows.
        guard let flags = rest.first, flags & 0x40 != 0 else { return [] }
        return CaptionPair.pairs(rest.dropFirst(2).prefix(Int(flags & 31) * 3))
    }

    // MARK: - MPEG-2

    private static func inMPEG2(_ bytes: UnsafeRawBufferPointer) -> [CaptionPair] {
        var pairs: [CaptionPair] = []
        for unit in NALUnits(bytes, lengthSize: nil) where !unit.isEmpty {
            // slice_start_code and user_data_start_code (ISO/IEC 13818-2, table 6-1).
            if (0x01...0xAF).contains(unit[0]) { break }
            guard unit[0] == 0xB2, unit.count > 6, unit.count <= maximumUnit else { continue }
            let data = UnsafeRawBufferPointer(rebasing: unit[1...])
            pairs += data[0] == 0x03 ? inVerticalBlanking(data) : inUserData(data)
        }
        return pairs
    }

    /// Returns the captions in user data of SCTE 20 (6.3): line 21, with the lowest bit first.
    private static func inVerticalBlanking(_ data: UnsafeRawBufferPointer) -> [CaptionPair] {
        guard data[1] & 1 != 0 else { return [] }
        var place = 16
        func bits(_ count: Int) -> UInt8? {
            guard place + count <= data.count * 8 else { return nil }
            defer { place += count }
            return (place..<place + count).reduce(0) { (value: UInt8, index) in
                let bit: UInt8 = data[index >> 3] >> UInt8(7 - index & 7) & 1
                return value << 1 | bit
            }
        }
        guard let count = bits(5) else { return [] }
        var pairs: [CaptionPair] = []
        for _ in 0..<count {
            // cc_priority, field_number, line_offset, two bytes, a marker.
            guard bits(2) != nil, let field = bits(2), let line = bits(5), let first = bits(8),
                let second = bits(8), bits(1) != nil
            else { break }
            // A line_offset of 11 is line 21.
            guard field != 0, line == 11 else { continue }
            pairs.append(
                CaptionPair(
                    field == 2 ? .secondField : .firstField, reversed(first), reversed(second)))
        }
        return pairs
    }

    private static func reversed(_ byte: UInt8) -> UInt8 {
        (0..<8).reduce(0) { (value: UInt8, index) in value << 1 | byte >> UInt8(index) & 1 }
    }

    // MARK: - Tracks

    /// Assigns the pairs of a sample to the fields. FFmpeg removes the header of the first box of a
    /// `c608` sample, and returns the second box, `cdt2`, as if it were caption data.
    private static func fields(of pairs: [CaptionPair]) -> [CaptionPair] {
        let second = pairs.indices.dropFirst(2).dropLast().first { index in
            (pairs[index].first, pairs[index].second) == (0x63, 0x64)
                && (pairs[index + 1].first, pairs[index + 1].second) == (0x74, 0x32)
        }
        guard let second else { return pairs }
        return pairs[..<(second - 2)]
            + pairs[(second + 2)...].map { CaptionPair(.secondField, $0.first, $0.second) }
    }

    /// Returns the captions in caption distribution packets (SMPTE 334-2, 5). Each `ccdp` box of a
    /// `c708` sample contains one.
    private static func inDistributionPackets(_ bytes: UnsafeRawBufferPointer) -> [CaptionPair] {
        var pairs: [CaptionPair] = []
        var rest = bytes[...]
        while rest.count >= 8 {
            let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard size >= 8, size <= rest.count else { break }
            let box = rest.prefix(size)
            rest = rest.dropFirst(size)
            guard box.dropFirst(4).starts(with: Array("ccdp".utf8)) else { continue }
            pairs += inDistributionPacket(Array(box.dropFirst(8)))
        }
        return pairs
    }

    private static func inDistributionPacket(_ packet: [UInt8]) -> [CaptionPair] {
        // cdp_identifier, length, frame rate, flags, counter; then sections.
        guard packet.starts(with: [0x96, 0x69]), packet.count > 7 else { return [] }
        var rest = packet.dropFirst(7)
        // A time code section.
        if rest.first == 0x71 { rest = rest.dropFirst(5) }
        guard rest.first == 0x72, let count = rest.dropFirst().first else { return [] }
        return CaptionPair.pairs(rest.dropFirst(2).prefix(Int(count & 31) * 3))
    }
}
