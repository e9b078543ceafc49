// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadBuffers
import PlayheadConversion
import Testing

@testable import PlayheadTextures

@Suite("Frames prepared ahead of time")
struct PicturePreparerTests {
    private static func frame(_ luma: UInt8) -> PixelBuffer {
        PixelBuffer(
            format: .yuv420p, width: 64, height: 48,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(matrix: .bt709, range: .full))
        ) { plane, bytes, _ in
            for index in bytes.indices { bytes[index] = plane == 0 ? luma : 128 }
        }
    }

    private static func request(_ buffer: PixelBuffer, width: Int) -> ConvertedPictureRequest {
        ConvertedPictureRequest(
            buffer, part: ConversionPart(outputWidth: width, outputHeight: 24),
            transform: ColorTransform(from: .sRGB, to: .sRGB), byteOrder: .rgba, isBottomUp: false)
    }

    /// Returns the first pixel of a converted frame.
    private static func red(_ memory: ConverterMemory) -> UInt8 {
        var red: UInt8 = 0
        memory.read { red = $0.load(as: UInt8.self) }
        return red
    }

    @Test func `a host's render thread has a spare converter once a layout repeats`() throws {
        let preparer = PicturePreparer(ConverterMemory(helperCount: 0)) {
            ConverterMemory(helperCount: 0)
        }
        func prepare(_ luma: UInt8, width: Int) throws {
            let buffer = Self.frame(luma)
            let request = Self.request(buffer, width: width)
            // Nothing is prepared while the thread makes the spare converter.
            try eventually("a prepared frame") {
                preparer.prepare(buffer, request)
                return preparer.isReady(request)
            }
            var red: UInt8 = 0
            #expect(preparer.take(request) { red = $0.load(as: UInt8.self) })
            #expect(red == luma)
        }
        for (luma, width) in [(10, 32), (20, 40), (30, 32)] {
            try prepare(UInt8(luma), width: width)
            #expect(preparer.takeSpare() == nil)
        }
        try prepare(40, width: 32)
        var spare: ConverterMemory?
        try eventually("a spare converter") {
            spare = spare ?? preparer.takeSpare()
            return spare != nil
        }
        let memory = try #require(spare)
        #expect(Self.red(memory) == 40)
        let other = Self.frame(50)
        memory.convert(other, Self.request(other, width: 32))
        #expect(Self.red(memory) == 50)
        // It is made once for a layout.
        try prepare(60, width: 32)
        try prepare(70, width: 32)
        #expect(preparer.takeSpare() == nil)
    }

    @Test func `no spare converter is made unless it is requested`() throws {
        let preparer = PicturePreparer(ConverterMemory(helperCount: 0))
        for luma in [10, 20, 30] as [UInt8] {
            let buffer = Self.frame(luma)
            let request = Self.request(buffer, width: 32)
            preparer.prepare(buffer, request)
            try eventually("a prepared frame") { preparer.isReady(request) }
            #expect(preparer.take(request) { _ in })
        }
        #expect(preparer.takeSpare() == nil)
    }
}
