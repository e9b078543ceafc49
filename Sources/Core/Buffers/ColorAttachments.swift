// SPDX-License-Identifier: Apache-2.0

/// How a picture's numbers stand for colours, as its stream declares it.
///
/// Matrix, primaries and transfer are the code points of ITU-T H.273 (02/2024), tables 2 to 4, which
/// H.264, HEVC, AV1, VP9 and FFmpeg all use; a code that is not named here survives as its number.
/// Streams often leave some of them unspecified: `resolved(width:height:model:)` fills in what the
/// field assumes.
///
/// - Corresponds to: the `kCVImageBuffer…Key` attachments of a `CVPixelBuffer`.
public struct ColorAttachments: Sendable, Hashable {
    /// What makes R'G'B' of the components (H.273, MatrixCoefficients).
    public var matrix: Matrix
    /// Which numbers stand for black and white (H.273, VideoFullRangeFlag).
    public var range: Range
    /// What red, green, blue and white are (H.273, ColourPrimaries).
    public var primaries: Primaries
    /// How light became signals (H.273, TransferCharacteristics).
    public var transfer: Transfer
    /// Where chroma samples lie (H.273, ChromaSampleLocType).
    public var chromaLocation: ChromaLocation
    /// Whether colours have been multiplied by alpha.
    public var alpha: Alpha

    /// How Y, Cb and Cr derive from R, G and B: H.273 table 4, `MatrixCoefficients`.
    public struct Matrix: RawRepresentable, Sendable, Hashable {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let rgb = Matrix(rawValue: 0)
        public static let bt709 = Matrix(rawValue: 1)
        public static let unspecified = Matrix(rawValue: 2)
        package static let fcc = Matrix(rawValue: 4)
        public static let bt470bg = Matrix(rawValue: 5)
        public static let bt601 = Matrix(rawValue: 6)
        public static let smpte240m = Matrix(rawValue: 7)
        public static let yCgCo = Matrix(rawValue: 8)
        public static let bt2020NonConstantLuminance = Matrix(rawValue: 9)
        public static let bt2020ConstantLuminance = Matrix(rawValue: 10)
        /// Kr and Kb follow from the primaries.
        package static let chromaticityDerived = Matrix(rawValue: 12)
        public static let iCtCp = Matrix(rawValue: 14)
    }

    /// The chromaticities of red, green, blue and white: H.273 table 2, `ColourPrimaries`.
    public struct Primaries: RawRepresentable, Sendable, Hashable {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let bt709 = Primaries(rawValue: 1)
        public static let unspecified = Primaries(rawValue: 2)
        package static let bt470m = Primaries(rawValue: 4)
        public static let bt470bg = Primaries(rawValue: 5)
        public static let smpte170m = Primaries(rawValue: 6)
        public static let smpte240m = Primaries(rawValue: 7)
        package static let film = Primaries(rawValue: 8)
        public static let bt2020 = Primaries(rawValue: 9)
        package static let xyz = Primaries(rawValue: 10)
        public static let dciP3 = Primaries(rawValue: 11)
        public static let displayP3 = Primaries(rawValue: 12)
        public static let ebu3213 = Primaries(rawValue: 22)
    }

    /// How light becomes numbers: H.273 table 3, `TransferCharacteristics`.
    public struct Transfer: RawRepresentable, Sendable, Hashable {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let bt709 = Transfer(rawValue: 1)
        public static let unspecified = Transfer(rawValue: 2)
        public static let gamma22 = Transfer(rawValue: 4)
        package static let gamma28 = Transfer(rawValue: 5)
        public static let bt601 = Transfer(rawValue: 6)
        public static let smpte240m = Transfer(rawValue: 7)
        public static let linear = Transfer(rawValue: 8)
        package static let logarithmic100 = Transfer(rawValue: 9)
        package static let logarithmic316 = Transfer(rawValue: 10)
        package static let xvYCC = Transfer(rawValue: 11)
        public static let sRGB = Transfer(rawValue: 13)
        public static let bt2020TenBit = Transfer(rawValue: 14)
        public static let bt2020TwelveBit = Transfer(rawValue: 15)
        public static let pq = Transfer(rawValue: 16)
        /// Digital cinema's X'Y'Z'.
        public static let smpte428 = Transfer(rawValue: 17)
        public static let hlg = Transfer(rawValue: 18)
    }

    /// Which numbers stand for black and white.
    public enum Range: UInt8, Sendable, Hashable, CaseIterable {
        case unspecified
        /// 16 to 235 for luma and 16 to 240 for chroma at 8 bits: "tv", "studio swing".
        case limited
        /// All of them: "pc", "full swing".
        case full
    }

    /// Where subsampled chroma samples lie relative to luma: H.273 figure 1.
    public enum ChromaLocation: UInt8, Sendable, Hashable, CaseIterable {
        case unspecified, left, center, topLeft, top, bottomLeft, bottom
    }

    /// Whether colour is already multiplied by alpha. FFmpeg's decoders deliver straight alpha.
    public enum Alpha: UInt8, Sendable, Hashable, CaseIterable {
        case straight, premultiplied
    }

    public init(
        matrix: Matrix = .unspecified, range: Range = .unspecified,
        primaries: Primaries = .unspecified, transfer: Transfer = .unspecified,
        chromaLocation: ChromaLocation = .unspecified, alpha: Alpha = .straight
    ) {
        self.matrix = matrix
        self.range = range
        self.primaries = primaries
        self.transfer = transfer
        self.chromaLocation = chromaLocation
        self.alpha = alpha
    }

    /// The same with nothing left unspecified.
    ///
    /// Untagged Y'CbCr is taken as BT.709 from 1280 x 577 pixels on, that is for HD, and as BT.601
    /// below, limited range, its chroma to the left: the rule that mpv and most televisions follow.
    /// Untagged RGB is sRGB in full range, untagged grey in full range too, as pictures of one
    /// component come from PNG and the like. Primaries and transfer follow the matrix.
    package func resolved(width: Int, height: Int, model: PixelFormat.Model) -> ColorAttachments {
        var result = self
        let isHighDefinition = width >= 1280 || height > 576
        if model == .rgb {
            result.matrix = .rgb
            if range == .unspecified { result.range = .full }
            if primaries == .unspecified { result.primaries = .bt709 }
            if transfer == .unspecified { result.transfer = .sRGB }
        } else {
            if matrix == .unspecified || matrix == .rgb {
                switch primaries {
                case .bt2020: result.matrix = .bt2020NonConstantLuminance
                case .bt709: result.matrix = .bt709
                default: result.matrix = isHighDefinition ? .bt709 : .bt601
                }
            }
            if range == .unspecified { result.range = model == .gray ? .full : .limited }
            if primaries == .unspecified {
                switch result.matrix {
                case .bt2020NonConstantLuminance, .bt2020ConstantLuminance:
                    result.primaries = .bt2020
                case .bt601: result.primaries = height == 576 ? .bt470bg : .smpte170m
                case .bt470bg: result.primaries = .bt470bg
                case .smpte240m: result.primaries = .smpte240m
                default: result.primaries = .bt709
                }
            }
            if transfer == .unspecified { result.transfer = .bt709 }
        }
        if chromaLocation == .unspecified { result.chromaLocation = .left }
        return result
    }
}
