// SPDX-License-Identifier: Apache-2.0

import Playhead

/// The names by which ffprobe, and people, know the code points of ITU-T H.273; nil for what the
/// stream leaves unspecified, the number itself for what has no name.
enum ColorNames {
    static func matrix(_ matrix: ColorAttachments.Matrix) -> String? {
        let names: [ColorAttachments.Matrix: String] = [
            .rgb: "gbr", .bt709: "bt709", .fcc: "fcc", .bt470bg: "bt470bg", .bt601: "smpte170m",
            .smpte240m: "smpte240m", .yCgCo: "ycgco", .bt2020NonConstantLuminance: "bt2020nc",
            .bt2020ConstantLuminance: "bt2020c",
        ]
        return matrix == .unspecified ? nil : names[matrix] ?? String(matrix.rawValue)
    }

    static func primaries(_ primaries: ColorAttachments.Primaries) -> String? {
        let names: [ColorAttachments.Primaries: String] = [
            .bt709: "bt709", .bt470m: "bt470m", .bt470bg: "bt470bg", .smpte170m: "smpte170m",
            .smpte240m: "smpte240m", .film: "film", .bt2020: "bt2020", .xyz: "smpte428",
            .dciP3: "smpte431", .displayP3: "smpte432",
        ]
        return primaries == .unspecified ? nil : names[primaries] ?? String(primaries.rawValue)
    }

    static func transfer(_ transfer: ColorAttachments.Transfer) -> String? {
        let names: [ColorAttachments.Transfer: String] = [
            .bt709: "bt709", .gamma22: "bt470m", .gamma28: "bt470bg", .bt601: "smpte170m",
            .smpte240m: "smpte240m", .linear: "linear", .sRGB: "iec61966-2-1",
            .bt2020TenBit: "bt2020-10", .bt2020TwelveBit: "bt2020-12", .pq: "smpte2084",
            .hlg: "arib-std-b67",
        ]
        return transfer == .unspecified ? nil : names[transfer] ?? String(transfer.rawValue)
    }

    static func range(_ range: ColorAttachments.Range) -> String? {
        switch range {
        case .unspecified: nil
        case .limited: "tv"
        case .full: "pc"
        }
    }

    static func chromaLocation(_ location: ColorAttachments.ChromaLocation) -> String? {
        switch location {
        case .unspecified: nil
        case .left: "left"
        case .center: "center"
        case .topLeft: "topleft"
        case .top: "top"
        case .bottomLeft: "bottomleft"
        case .bottom: "bottom"
        }
    }

    static func fieldOrder(_ order: PixelBufferAttachments.FieldOrder) -> String {
        switch order {
        case .progressive: "progressive"
        case .topFieldFirst: "tt"
        case .bottomFieldFirst: "bb"
        }
    }
}
