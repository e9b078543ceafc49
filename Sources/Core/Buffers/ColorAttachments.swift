// SPDX-License-Identifier: Apache-2.0

/// The colour properties of a frame, as its stream declares them. They relate samples to colours.
///
/// Matrix, primaries and transfer are the code points of ITU-T H.273 (02/2024), tables 2 to 4,
/// which H.264, HEVC, AV1, VP9 and FFmpeg use. An unknown code keeps its number. Streams often
/// leave some of the properties unspecified; `resolved(width:height:model:)` fills in the usual
/// defaults.
///
/// - Corresponds to: the `kCVImageBuffer…Key` attachments of a `CVPixelBuffer`.
public struct ColorAttachments: Sendable, Hashable {
    /// The conversion of the components to R'G'B' (H.273, MatrixCoefficients).
    public var matrix: Matrix
    /// The sample values that represent black and white (H.273, VideoFullRangeFlag).
    public var range: Range
    /// The chromaticities of the primaries and of white (H.273, ColourPrimaries).
    public var primaries: Primaries
    /// The transfer function from light to signal (H.273, TransferCharacteristics).
    public var transfer: Transfer
    /// The position of chroma samples (H.273, ChromaSampleLocType).
    public var chromaLocation: ChromaLocation
    /// The alpha mode: straight or premultiplied.
    public var alpha: Alpha

    /// The matrix that derives Y, Cb and Cr from R, G and B: H.273 table 4, `MatrixCoefficients`.
    public struct Matrix: RawRepresentable, Sendable, Hashable {
        /// The code point of H.273 table 4.
        public var rawValue: UInt8
        /// Creates a matrix from its code point.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// No conversion: the components are R, G and B. `AVCOL_SPC_RGB`.
        public static let rgb = Matrix(rawValue: 0)
        /// ITU-R BT.709, high definition. `kCVImageBufferYCbCrMatrix_ITU_R_709_2`.
        public static let bt709 = Matrix(rawValue: 1)
        /// Not stated by the stream.
        public static let unspecified = Matrix(rawValue: 2)
        package static let fcc = Matrix(rawValue: 4)
        /// ITU-R BT.470 system B/G; equal to BT.601.
        public static let bt470bg = Matrix(rawValue: 5)
        /// ITU-R BT.601, standard definition. `kCVImageBufferYCbCrMatrix_ITU_R_601_4`.
        public static let bt601 = Matrix(rawValue: 6)
        /// SMPTE ST 240. `kCVImageBufferYCbCrMatrix_SMPTE_240M_1995`.
        public static let smpte240m = Matrix(rawValue: 7)
        /// YCgCo: weighted sums and differences of R, G and B.
        public static let yCgCo = Matrix(rawValue: 8)
        /// ITU-R BT.2020 with non-constant luminance. `kCVImageBufferYCbCrMatrix_ITU_R_2020`.
        public static let bt2020NonConstantLuminance = Matrix(rawValue: 9)
        /// ITU-R BT.2020 with constant luminance.
        public static let bt2020ConstantLuminance = Matrix(rawValue: 10)
        /// A matrix whose coefficients Kr and Kb are derived from the primaries.
        package static let chromaticityDerived = Matrix(rawValue: 12)
        /// ICtCp of ITU-R BT.2100.
        public static let iCtCp = Matrix(rawValue: 14)
    }

    /// The chromaticities of red, green, blue and white: H.273 table 2, `ColourPrimaries`.
    public struct Primaries: RawRepresentable, Sendable, Hashable {
        /// The code point of H.273 table 2.
        public var rawValue: UInt8
        /// Creates primaries from their code point.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// ITU-R BT.709 and sRGB. `kCVImageBufferColorPrimaries_ITU_R_709_2`.
        public static let bt709 = Primaries(rawValue: 1)
        /// Not stated by the stream.
        public static let unspecified = Primaries(rawValue: 2)
        package static let bt470m = Primaries(rawValue: 4)
        /// ITU-R BT.470 system B/G, for 625 lines. `kCVImageBufferColorPrimaries_EBU_3213`.
        public static let bt470bg = Primaries(rawValue: 5)
        /// SMPTE ST 170 and BT.601, for 525 lines. `kCVImageBufferColorPrimaries_SMPTE_C`.
        public static let smpte170m = Primaries(rawValue: 6)
        /// SMPTE ST 240; equal to SMPTE ST 170.
        public static let smpte240m = Primaries(rawValue: 7)
        package static let film = Primaries(rawValue: 8)
        /// ITU-R BT.2020 and BT.2100. `kCVImageBufferColorPrimaries_ITU_R_2020`.
        public static let bt2020 = Primaries(rawValue: 9)
        package static let xyz = Primaries(rawValue: 10)
        /// SMPTE RP 431-2, digital cinema. `kCVImageBufferColorPrimaries_DCI_P3`.
        public static let dciP3 = Primaries(rawValue: 11)
        /// SMPTE EG 432-1: the primaries of P3 with a D65 white point.
        /// `kCVImageBufferColorPrimaries_P3_D65`.
        public static let displayP3 = Primaries(rawValue: 12)
        /// EBU Tech. 3213-E.
        public static let ebu3213 = Primaries(rawValue: 22)
    }

    /// The transfer function from light to signal: H.273 table 3, `TransferCharacteristics`.
    public struct Transfer: RawRepresentable, Sendable, Hashable {
        /// The code point of H.273 table 3.
        public var rawValue: UInt8
        /// Creates a transfer function from its code point.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// ITU-R BT.709. `kCVImageBufferTransferFunction_ITU_R_709_2`.
        public static let bt709 = Transfer(rawValue: 1)
        /// Not stated by the stream.
        public static let unspecified = Transfer(rawValue: 2)
        /// A power function with exponent 2.2, as in BT.470 system M.
        public static let gamma22 = Transfer(rawValue: 4)
        package static let gamma28 = Transfer(rawValue: 5)
        /// ITU-R BT.601; equal to BT.709.
        public static let bt601 = Transfer(rawValue: 6)
        /// SMPTE ST 240. `kCVImageBufferTransferFunction_SMPTE_240M_1995`.
        public static let smpte240m = Transfer(rawValue: 7)
        /// A linear function. `kCVImageBufferTransferFunction_Linear`.
        public static let linear = Transfer(rawValue: 8)
        package static let logarithmic100 = Transfer(rawValue: 9)
        package static let logarithmic316 = Transfer(rawValue: 10)
        package static let xvYCC = Transfer(rawValue: 11)
        /// IEC 61966-2-1. `kCVImageBufferTransferFunction_sRGB`.
        public static let sRGB = Transfer(rawValue: 13)
        /// ITU-R BT.2020 at 10 bits; equal to BT.709. `kCVImageBufferTransferFunction_ITU_R_2020`.
        public static let bt2020TenBit = Transfer(rawValue: 14)
        /// ITU-R BT.2020 at 12 bits.
        public static let bt2020TwelveBit = Transfer(rawValue: 15)
        /// The perceptual quantiser of SMPTE ST 2084.
        /// `kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ`.
        public static let pq = Transfer(rawValue: 16)
        /// SMPTE ST 428-1, for the X'Y'Z' of digital cinema.
        public static let smpte428 = Transfer(rawValue: 17)
        /// The hybrid log-gamma of ITU-R BT.2100. `kCVImageBufferTransferFunction_ITU_R_2100_HLG`.
        public static let hlg = Transfer(rawValue: 18)
    }

    /// The sample values that represent black and white.
    public enum Range: UInt8, Sendable, Hashable, CaseIterable {
        /// Not stated by the stream.
        case unspecified
        /// 16 to 235 for luma and 16 to 240 for chroma at 8 bits. Also called "tv" or "studio
        /// swing".
        case limited
        /// The full range of sample values. Also called "pc" or "full swing".
        case full
    }

    /// The position of subsampled chroma samples relative to luma: H.273 figure 1.
    public enum ChromaLocation: UInt8, Sendable, Hashable, CaseIterable {
        /// Not stated by the stream.
        case unspecified
        /// At the left luma sample, between two rows: MPEG-2, H.264.
        /// `kCVImageBufferChromaLocation_Left`.
        case left
        /// Between four luma samples: JPEG, MPEG-1. `kCVImageBufferChromaLocation_Center`.
        case center
        /// At the upper left luma sample: BT.2020. `kCVImageBufferChromaLocation_TopLeft`.
        case topLeft
        /// Between two luma samples of the upper row. `kCVImageBufferChromaLocation_Top`.
        case top
        /// At the lower left luma sample. `kCVImageBufferChromaLocation_BottomLeft`.
        case bottomLeft
        /// Between two luma samples of the lower row. `kCVImageBufferChromaLocation_Bottom`.
        case bottom
    }

    /// The alpha mode. FFmpeg's decoders deliver straight alpha.
    public enum Alpha: UInt8, Sendable, Hashable, CaseIterable {
        /// The colour is not multiplied by alpha.
        case straight
        /// The colour is multiplied by alpha.
        case premultiplied
    }

    /// Creates colour attachments, which are unspecified by default.
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

    /// Returns the attachments with defaults in place of unspecified values.
    ///
    /// If Y'CbCr is untagged, the matrix is BT.709 for frames that are at least 1280 pixels wide or
    /// more than 576 high (HD), and BT.601 for smaller frames; the range is limited, and the chroma
    /// location is `left`. This is the rule of mpv and most televisions. Untagged RGB is full-range
    /// sRGB. Untagged grey is also full-range, because frames with one component come from PNG and
    /// similar files. Primaries and transfer follow the matrix.
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
