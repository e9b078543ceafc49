// SPDX-License-Identifier: Apache-2.0

// The names that ffprobe prints for the code points of ITU-T H.273. If the property is unspecified,
// the name is nil. If the code has no name, its number takes the place of the name.

extension ColorAttachments.Matrix {
    package var name: String? {
        let names: [Self: String] = [
            .rgb: "gbr", .bt709: "bt709", .fcc: "fcc", .bt470bg: "bt470bg", .bt601: "smpte170m",
            .smpte240m: "smpte240m", .yCgCo: "ycgco", .bt2020NonConstantLuminance: "bt2020nc",
            .bt2020ConstantLuminance: "bt2020c",
        ]
        return self == .unspecified ? nil : names[self] ?? String(rawValue)
    }
}

extension ColorAttachments.Primaries {
    package var name: String? {
        let names: [Self: String] = [
            .bt709: "bt709", .bt470m: "bt470m", .bt470bg: "bt470bg", .smpte170m: "smpte170m",
            .smpte240m: "smpte240m", .film: "film", .bt2020: "bt2020", .xyz: "smpte428",
            .dciP3: "smpte431", .displayP3: "smpte432",
        ]
        return self == .unspecified ? nil : names[self] ?? String(rawValue)
    }
}

extension ColorAttachments.Transfer {
    package var name: String? {
        let names: [Self: String] = [
            .bt709: "bt709", .gamma22: "bt470m", .gamma28: "bt470bg", .bt601: "smpte170m",
            .smpte240m: "smpte240m", .linear: "linear", .sRGB: "iec61966-2-1",
            .bt2020TenBit: "bt2020-10", .bt2020TwelveBit: "bt2020-12", .pq: "smpte2084",
            .hlg: "arib-std-b67",
        ]
        return self == .unspecified ? nil : names[self] ?? String(rawValue)
    }
}
