// SPDX-License-Identifier: Apache-2.0

/// The memory layout of a frame's samples.
///
/// A format is not a case of an enumeration. It describes the planes, their subsampling, and the
/// position of each component's samples. Uploading and conversion use this description, so a new
/// format works as soon as a decoder describes it.
///
/// - Corresponds to: `kCVPixelFormatType_…` and `CVPixelFormatDescription`; the description is
///   modelled on FFmpeg's `AVPixFmtDescriptor`.
public struct PixelFormat: Sendable, Hashable, CustomStringConvertible {
    /// The meaning of the components.
    public enum Model: UInt8, Sendable, Hashable {
        /// The components are Y, Cb, Cr and perhaps alpha.
        case yCbCr
        /// The components are R, G, B and perhaps alpha.
        case rgb
        /// The components are luma and perhaps alpha.
        case gray
    }

    /// The position of one component's samples.
    package struct Component: Sendable, Hashable {
        /// The index of the plane.
        package var plane: Int
        /// The number of bytes from one sample to the next in a row.
        package var step: Int
        /// The number of bytes from the start of a row to the first sample.
        package var offset: Int
        /// The number of unused bits below a sample in its word, for formats such as P010 that use
        /// the high bits.
        package var shift: Int
        /// The number of significant bits.
        package var depth: Int

        package init(plane: Int, step: Int, offset: Int, shift: Int = 0, depth: Int) {
            self.plane = plane
            self.step = step
            self.offset = offset
            self.shift = shift
            self.depth = depth
        }
    }

    /// The format's name in FFmpeg, such as `yuv420p10le`.
    public var name: String
    /// The meaning of the components.
    public var model: Model
    /// The components in the order Y, Cb, Cr, A; or R, G, B, A; or Y, A.
    package var components: [Component]
    /// A Boolean value that indicates whether the last component is alpha.
    public var hasAlpha: Bool
    /// The number of times that chroma is halved horizontally: 1 for 4:2:0 and 4:2:2, 0 for 4:4:4.
    public var log2ChromaWidth: Int
    /// The number of times that chroma is halved vertically: 1 for 4:2:0.
    public var log2ChromaHeight: Int
    /// A Boolean value that indicates whether samples are IEEE floating point instead of integers.
    package var isFloat: Bool
    /// A Boolean value that indicates whether samples of more than one byte are big-endian.
    package var isBigEndian: Bool

    package init(
        name: String, model: Model, components: [Component], hasAlpha: Bool = false,
        log2ChromaWidth: Int = 0, log2ChromaHeight: Int = 0, isFloat: Bool = false,
        isBigEndian: Bool = false
    ) {
        self.name = name
        self.model = model
        self.components = components
        self.hasAlpha = hasAlpha
        self.log2ChromaWidth = log2ChromaWidth
        self.log2ChromaHeight = log2ChromaHeight
        self.isFloat = isFloat
        self.isBigEndian = isBigEndian
    }

    /// The name of the format.
    public var description: String { name }
    /// The number of planes.
    public var planeCount: Int { (components.map(\.plane).max() ?? -1) + 1 }
    /// The number of significant bits of the first component.
    public var bitDepth: Int { components.first?.depth ?? 8 }

    /// Returns whether the plane holds only chroma, and is therefore subsampled.
    package func isChroma(plane: Int) -> Bool {
        guard model == .yCbCr, components.count >= 3 else { return false }
        return components[0].plane != plane && components[1...2].contains { $0.plane == plane }
    }

    /// Returns the size of a plane, in samples, for a frame size. Subsampled sizes are rounded up.
    package func planeSize(_ plane: Int, width: Int, height: Int) -> (width: Int, height: Int) {
        guard isChroma(plane: plane) else { return (width, height) }
        return (
            (width + (1 << log2ChromaWidth) - 1) >> log2ChromaWidth,
            (height + (1 << log2ChromaHeight) - 1) >> log2ChromaHeight
        )
    }
}

extension PixelFormat {
    /// Returns a planar Y'CbCr format with one component per plane.
    private static func planar(
        _ name: String, depth: Int, chroma: (Int, Int), alpha: Bool = false
    ) -> PixelFormat {
        let bytes = depth > 8 ? 2 : 1
        return PixelFormat(
            name: name, model: .yCbCr,
            components: (0..<(alpha ? 4 : 3)).map {
                Component(plane: $0, step: bytes, offset: 0, depth: depth)
            },
            hasAlpha: alpha, log2ChromaWidth: chroma.0, log2ChromaHeight: chroma.1)
    }

    /// Planar 4:2:0, 8 bits, the format of most decoded video.
    /// `kCVPixelFormatType_420YpCbCr8Planar`.
    public static let yuv420p = planar("yuv420p", depth: 8, chroma: (1, 1))
    /// Planar 4:2:0, 10 bits, in the low bits of 16-bit words. `AV_PIX_FMT_YUV420P10LE`.
    public static let yuv420p10 = planar("yuv420p10le", depth: 10, chroma: (1, 1))
    /// Planar 4:2:2, 8 bits. `AV_PIX_FMT_YUV422P`.
    public static let yuv422p = planar("yuv422p", depth: 8, chroma: (1, 0))
    /// Planar 4:4:4, 8 bits. `AV_PIX_FMT_YUV444P`.
    public static let yuv444p = planar("yuv444p", depth: 8, chroma: (0, 0))
    /// Planar 4:2:0 with an alpha plane, 8 bits. `AV_PIX_FMT_YUVA420P`.
    public static let yuva420p = planar("yuva420p", depth: 8, chroma: (1, 1), alpha: true)

    /// A luma plane and an interleaved chroma plane, 8 bits.
    /// `kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange`.
    public static let nv12 = PixelFormat(
        name: "nv12", model: .yCbCr,
        components: [
            Component(plane: 0, step: 1, offset: 0, depth: 8),
            Component(plane: 1, step: 2, offset: 0, depth: 8),
            Component(plane: 1, step: 2, offset: 1, depth: 8),
        ], log2ChromaWidth: 1, log2ChromaHeight: 1)

    /// Interleaved R, G, B and A, 8 bits each. `kCVPixelFormatType_32RGBA`.
    public static let rgba = PixelFormat(
        name: "rgba", model: .rgb,
        components: (0..<4).map { Component(plane: 0, step: 4, offset: $0, depth: 8) },
        hasAlpha: true)

    /// Interleaved B, G, R and A, 8 bits each. `kCVPixelFormatType_32BGRA`.
    public static let bgra = PixelFormat(
        name: "bgra", model: .rgb,
        components: [2, 1, 0, 3].map { Component(plane: 0, step: 4, offset: $0, depth: 8) },
        hasAlpha: true)

    /// One plane of luma, 8 bits. `kCVPixelFormatType_OneComponent8`.
    public static let gray8 = PixelFormat(
        name: "gray", model: .gray, components: [Component(plane: 0, step: 1, offset: 0, depth: 8)])
}
