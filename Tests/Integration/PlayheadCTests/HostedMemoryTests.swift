// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import CPlayheadFFmpeg
import GraphicsTestSupport
import PlayheadBuffers
import PlayheadConversion
import PlayheadGL
import PlayheadTextures
import Testing

@testable import PlayheadC
@testable import PlayheadFFmpeg

@Suite("Frames in host memory")
struct HostedMemoryTests {
    private static func convert(
        _ buffer: PixelBuffer, width: Int, height: Int, bytesPerRow: Int? = nil
    ) -> RGBAImage {
        let bytesPerRow = bytesPerRow ?? width * 4
        var pixels = [UInt8](repeating: 0x55, count: bytesPerRow * height)
        pixels.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            HostedMemory().convert(
                buffer, width: width, height: height, into: base, bytesPerRow: bytesPerRow)
        }
        let rows = (0..<height).map { pixels[$0 * bytesPerRow..<$0 * bytesPerRow + width * 4] }
        return RGBAImage(width: width, height: height, bytes: Array(rows.joined()))
    }

    /// Returns the result of converting a grey frame.
    private static func grey(_ color: ColorAttachments) -> [UInt8] {
        let buffer = PixelBuffer(
            format: .yuv420p, width: 16, height: 16,
            attachments: PixelBufferAttachments(color: color)
        ) { plane, bytes, bytesPerRow in
            for index in 0..<bytesPerRow * (plane == 0 ? 16 : 8) { bytes[index] = 128 }
        }
        return Array(convert(buffer, width: 16, height: 16).bytes.prefix(4))
    }

    @Test(
        arguments: [
            // 94.1 and 51.2 cd/m2, on a display of 203 with BT.1886's curve; the peak is assumed to
            // be 1000.
            (.pq, 185), (.hlg, 144), (.bt709, 128),
        ] as [(ColorAttachments.Transfer, UInt8)])
    func `HDR frames are tone mapped`(
        transfer: ColorAttachments.Transfer, code: UInt8
    ) {
        let grey = Self.grey(
            ColorAttachments(
                matrix: .bt2020NonConstantLuminance, range: .full, primaries: .bt2020,
                transfer: transfer))
        #expect(grey == [code, code, code, 255])
    }

    // MARK: Comparison with the renderer

    /// Returns samples of a format that rise across the frame, differently for each component.
    private static func picture(
        _ format: PixelFormat, width: Int, height: Int, _ attachments: PixelBufferAttachments
    ) -> PixelBuffer {
        PixelBuffer(format: format, width: width, height: height, attachments: attachments) {
            plane, bytes, bytesPerRow in
            for (index, component) in format.components.enumerated()
            where component.plane == plane {
                let isChroma = format.model == .yCbCr && (index == 1 || index == 2)
                let columns =
                    isChroma ? (width - 1) >> format.log2ChromaWidth + 1 : width
                let rows =
                    isChroma ? (height - 1) >> format.log2ChromaHeight + 1 : height
                for y in 0..<rows {
                    for x in 0..<columns {
                        let (u, v) = (Double(x) / Double(columns), Double(y) / Double(rows))
                        let value =
                            switch index {
                            case 0: 0.2 + 0.5 * u
                            case 1: 0.6 - 0.2 * v
                            case 2: 0.4 + 0.2 * u * v
                            default: 1 - 0.8 * u
                            }
                        store(
                            isChroma && format.isFloat ? value - 0.5 : value, component, of: format,
                            to: bytes, at: y * bytesPerRow + x * component.step + component.offset)
                    }
                }
            }
        }
    }

    private static func store(
        _ value: Double, _ component: PixelFormat.Component, of format: PixelFormat,
        to bytes: UnsafeMutableRawBufferPointer, at place: Int
    ) {
        if format.isFloat, component.depth == 32 {
            let bits = Float(value).bitPattern
            bytes.storeBytes(
                of: format.isBigEndian ? bits.bigEndian : bits, toByteOffset: place, as: UInt32.self
            )
        } else if format.isFloat {
            let bits = Float16(value).bitPattern
            bytes.storeBytes(
                of: format.isBigEndian ? bits.bigEndian : bits, toByteOffset: place, as: UInt16.self
            )
        } else if component.depth + component.shift <= 8 {
            bytes[place] = UInt8(value * Double((1 << component.depth) - 1)) << component.shift
        } else {
            let code = UInt16(value * Double((1 << component.depth) - 1)) << component.shift
            bytes.storeBytes(
                of: format.isBigEndian ? code.bigEndian : code, toByteOffset: place, as: UInt16.self
            )
        }
    }

    private static func draw(
        _ buffer: PixelBuffer, _ cache: TextureCache, _ painter: PicturePainter,
        _ context: HeadlessContext
    ) throws -> RGBAImage {
        try GraphicsTest.image(width: buffer.width, height: buffer.height, context: context) { _ in
            try painter.draw(
                try cache.textures(for: buffer),
                geometry: .uprightWhole, sampling: .exact, alphaOut: .straight)
        }
    }

    private static func difference(_ left: RGBAImage, _ right: RGBAImage) -> Int {
        zip(left.bytes, right.bytes).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    /// Compares the frames that hosts get with those that OpenGL draws, sample for pixel.
    ///
    /// The tolerance is one code for rounding, and one for chroma of 8 bits, which software OpenGL
    /// filters to 8 bits.
    private static func compare(_ pictures: [PixelBuffer]) throws {
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context)
            let painter = PicturePainter(context: context)
            for picture in pictures {
                let drawn = try draw(picture, cache, painter, context)
                let given = convert(picture, width: picture.width, height: picture.height)
                let difference = difference(drawn, given)
                #expect(
                    difference <= 2,
                    "\(picture.format) \(picture.width) x \(picture.height) \(picture.color)")
                cache.endFrame()
            }
        }
    }

    /// All formats that FFmpeg has and for which the renderer has textures.
    private static let formats: [PixelFormat] = (0..<AV_PIX_FMT_NB.rawValue).compactMap { number in
        guard let format = PixelFormatTable.format(AVPixelFormat(number)),
            (try? PictureLayout(format)) != nil
        else { return nil }
        return format
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `match the renderer in every format`() throws {
        #expect(Self.formats.count > 100)
        try Self.compare(
            Self.formats.map {
                Self.picture(
                    $0, width: 21, height: 10,
                    PixelBufferAttachments(
                        color: ColorAttachments(matrix: .bt601, range: .limited)
                    ))
            })
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `match the renderer for every matrix`() throws {
        // In linear light one code of chroma has a large effect, so none may be rounded in between.
        let formats = [PixelFormat.yuv444p, .yuva444p, .yuv420p10]
        let colors = [
            ColorAttachments(matrix: .yCgCo, range: .full),
            ColorAttachments(matrix: .rgb, range: .full),
            ColorAttachments(
                matrix: .bt2020ConstantLuminance, range: .limited, primaries: .bt2020,
                transfer: .bt2020TenBit),
            ColorAttachments(
                matrix: .iCtCp, range: .limited, primaries: .bt2020, transfer: .pq),
            ColorAttachments(
                matrix: .iCtCp, range: .limited, primaries: .bt2020, transfer: .hlg),
        ]
        try Self.compare(
            formats.flatMap { format in
                colors.map {
                    Self.picture(
                        format, width: 16, height: 12, PixelBufferAttachments(color: $0))
                }
            })
    }

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: [(1, 1), (1, 9), (2, 2), (9, 1)])
    func `match the renderer for planes that are one sample wide`(
        width: Int, height: Int
    ) throws {
        let color = ColorAttachments(matrix: .bt709, range: .limited)
        try Self.compare(
            [PixelFormat.yuv420p, .nv12, .yuv444p, .rgba].map {
                Self.picture(
                    $0, width: width, height: height, PixelBufferAttachments(color: color))
            })
    }

    @Test(arguments: 0..<4, [false, true])
    func `are upright from either converter`(turns: Int, isMirrored: Bool) {
        let orientation = PictureOrientation(quarterTurns: turns, isMirrored: isMirrored)
        // The same colours by the fast path and by the one for all formats.
        let (usual, other) = (PixelFormat.yuv444p, PixelFormat.yuva444p)
        let size = orientation.swapsAxes ? (12, 20) : (20, 12)
        let images = [usual, other].map { format in
            let picture = Self.picture(
                format, width: 20, height: 12,
                PixelBufferAttachments(
                    color: ColorAttachments(matrix: .bt709, range: .limited),
                    orientation: orientation))
            #expect(PictureConverter.canConvert(picture) == (format == usual))
            // With padding at the end of rows.
            return Self.convert(picture, width: size.0, height: size.1, bytesPerRow: size.0 * 4 + 7)
        }
        var difference = 0
        for index in images[0].bytes.indices where index % 4 != 3 {
            difference = max(
                difference, abs(Int(images[0].bytes[index]) - Int(images[1].bytes[index])))
        }
        #expect(difference <= 1)
    }
}

extension PixelFormat {
    fileprivate static let yuva444p: PixelFormat = {
        var format = PixelFormat.yuva420p
        format.name = "yuva444p"
        (format.log2ChromaWidth, format.log2ChromaHeight) = (0, 0)
        return format
    }()
}
