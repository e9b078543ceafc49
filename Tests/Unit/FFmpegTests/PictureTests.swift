// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import Testing

@testable import PlayheadFFmpeg

@Suite struct PictureTests {
    private func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    private func bytes(_ buffer: PixelBuffer, plane: Int = 0, perPixel: Int) -> [UInt8] {
        let plane = buffer.planes[plane]
        return (0..<plane.height).flatMap { row in
            (0..<(plane.width * perPixel)).map {
                plane.baseAddress.load(
                    fromByteOffset: row * plane.bytesPerRow + $0, as: UInt8.self)
            }
        }
    }

    @Test func `a written PNG is read back unchanged`() throws {
        try inFolder { folder in
            let (width, height) = (17, 13)
            let pixels = (0..<(width * height * 4)).map { UInt8(truncatingIfNeeded: $0 * 37) }
            let path = folder.appending(path: "a picture.png").path
            try ImageFile.writePNG(pixels, width: width, height: height, to: path)
            let read = try ImageFile.read(path)
            #expect(read.format == .rgba)
            #expect((read.width, read.height) == (width, height))
            #expect(bytes(read, perPixel: 4) == pixels)
            #expect(read.color.transfer == .sRGB)
        }
    }

    @Test func `the error for a PNG that cannot be written has the reason`() {
        let error = #expect(throws: MediaError.self) {
            try ImageFile.writePNG([0, 0, 0, 255], width: 1, height: 1, to: "/nowhere/a.png")
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.subject == "/nowhere/a.png")
    }

    @Test func `palettes are expanded`() throws {
        try inFolder { folder in
            // A BMP of 2 x 2 pixels and two colours of eight bits, stored bottom up.
            var file = Data("BM".utf8)
            func add(_ numbers: UInt32...) {
                for number in numbers {
                    withUnsafeBytes(of: number.littleEndian) { file.append(contentsOf: $0) }
                }
            }
            add(54 + 8 + 8, 0, 54 + 8, 40, 2, 2, 1 | 8 << 16, 0, 8, 0, 0, 2, 0)
            add(0x00ff_0000, 0x0000_00ff)
            file.append(contentsOf: [0, 1, 0, 0, 1, 1, 0, 0])
            let path = folder.appending(path: "palette.bmp").path
            try file.write(to: URL(filePath: path))
            let read = try ImageFile.read(path)
            #expect(read.format == .bgra)
            let (red, blue): ([UInt8], [UInt8]) = ([0, 0, 255, 255], [255, 0, 0, 255])
            #expect(bytes(read, perPixel: 4) == blue + blue + red + blue)
        }
    }

    @Test func `single bits are expanded`() throws {
        try inFolder { folder in
            let path = folder.appending(path: "bits.pbm").path
            // In PBM a 1 is black.
            let file = Data("P4\n10 2\n".utf8) + Data([0b1010_0000, 0b0100_0000, 0xff, 0xff])
            try file.write(to: URL(filePath: path))
            let read = try ImageFile.read(path)
            #expect(read.format == .gray8)
            #expect(
                bytes(read, perPixel: 1)
                    == [0, 255, 0, 255, 255, 255, 255, 255, 255, 0] + Array(repeating: 0, count: 10)
            )
        }
    }

    @Test(arguments: ["a.tga", "A.TGA", "a.ppm", "a.pgm"])
    func `images without a signature are detected by their names`(name: String) throws {
        try inFolder { folder in
            let path = folder.appending(path: name).path
            let colors: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]
            let file =
                switch name.lowercased().suffix(4) {
                // Two rows of two pixels of 24 bits, B G R, from the top.
                case ".tga":
                    Data([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 24, 0x20] + colors)
                case ".ppm": Data("P6 2 2 255\n".utf8) + Data(colors)
                default: Data("P5 2 6 255\n".utf8) + Data(colors)
                }
            try file.write(to: URL(filePath: path))
            let read = try ImageFile.read(path)
            #expect(bytes(read, perPixel: 12 / (read.width * read.height)) == colors)
            #expect(try Opening.demuxer(path).description.isStill)
        }
    }

    @Test func `an image's name does not make a video or an empty file an image`() throws {
        try inFolder { folder in
            let path = folder.appending(path: "a.tga").path
            try ImageFile.writePNG([1, 2, 3, 255], width: 1, height: 1, to: path)
            #expect(try bytes(ImageFile.read(path), perPixel: 4) == [1, 2, 3, 255])
            for text in ["", "not an image at all"] {
                try Data(text.utf8).write(to: URL(filePath: path))
                let error = #expect(throws: MediaError.self) { try ImageFile.read(path) }
                #expect(error?.code == .unknownFormat)
            }
        }
    }

    /// The matrix maps (x, y) like mirroring followed by the rotation of the orientation.
    @Test(
        arguments: [
            ([1, 0, 0, 1], 0, false), ([0, 1, -1, 0], 1, false), ([-1, 0, 0, -1], 2, false),
            ([0, -1, 1, 0], 3, false), ([-1, 0, 0, 1], 0, true), ([0, -1, -1, 0], 1, true),
            ([1, 0, 0, -1], 2, true), ([0, 1, 1, 0], 3, true),
        ] as [([Int32], Int, Bool)])
    func displayMatricesAreOrientations(_ parts: [Int32], _ turns: Int, _ isMirrored: Bool) {
        let one: Int32 = 1 << 16
        let matrix = [
            parts[0] * one, parts[1] * one, 0, parts[2] * one, parts[3] * one, 0, 0, 0, 1 << 30,
        ]
        #expect(
            PictureOrientation(displayMatrix: matrix)
                == PictureOrientation(quarterTurns: turns, isMirrored: isMirrored))
    }

    @Test func `a display matrix with shearing counts as upright`() {
        let one: Int32 = 1 << 16
        let matrix = [one, one / 2, 0, 0, one, 0, 0, 0, 1 << 30]
        #expect(PictureOrientation(displayMatrix: matrix) == .up)
        #expect(PictureOrientation(displayMatrix: [Int32](repeating: 0, count: 9)) == .up)
    }

    @Test(
        .enabled(if: Corpus.has("made-here/media"), Comment(rawValue: Corpus.absence)),
        arguments: ["vp9_alpha_ramp.webm", "prores4444_alpha_ramp.mov"])
    func alphaSurvives(_ name: String) throws {
        let path = try #require(Corpus.url("made-here/media/" + name)).path
        let output = try AssetReader(asset: Opening.asset(path)).addVideoOutput()
        let picture = try #require(try output.copyNextSampleBuffer()).pixelBuffer
        #expect(picture.format.hasAlpha)
        #expect(picture.planes.count == 4)
        let size = picture.format.depthInBytes
        let plane = picture.planes[3]
        let row = plane.baseAddress + plane.height / 2 * plane.bytesPerRow
        let values = (0..<plane.width).map { column in
            size == 1
                ? Int(row.load(fromByteOffset: column, as: UInt8.self))
                : Int(row.load(fromByteOffset: column * 2, as: UInt16.self))
        }
        let (least, most) = (try #require(values.min()), try #require(values.max()))
        #expect(most - least > (1 << picture.format.bitDepth) / 2)
    }

    @Test(
        .enabled(if: Corpus.has("made-here/media"), Comment(rawValue: Corpus.absence)),
        arguments: [
            ("bars_601_tv.mp4", 5, ColorAttachments.Range.limited),
            ("bars_601_pc.mp4", 5, .full), ("bars_709_tv.mp4", 1, .limited),
            ("bars_709_pc.mp4", 1, .full), ("bars_2020_tv.mp4", 9, .limited),
            ("bars_2020_pc.mp4", 9, .full),
        ] as [(String, UInt8, ColorAttachments.Range)])
    func colourTagsReachThePicture(
        _ name: String, _ matrix: UInt8, _ range: ColorAttachments.Range
    ) throws {
        let path = try #require(Corpus.url("made-here/media/" + name)).path
        let output = try AssetReader(asset: Opening.asset(path)).addVideoOutput()
        let color = try #require(try output.copyNextSampleBuffer()).pixelBuffer.attachments.color
        #expect(color.matrix.rawValue == matrix)
        #expect(color.range == range)
        let stated = try #require(output.track.formatDescription.video).attachments.color
        #expect(stated.matrix == color.matrix && stated.range == range)
    }

    @Test(.enabled(if: Corpus.has("torchcodec"), Comment(rawValue: Corpus.absence)))
    func aRotatedFilmSaysSo() throws {
        let path = try #require(
            Corpus.url("torchcodec/test/resources/nasa_13013_rotated.mp4")
        ).path
        let output = try AssetReader(asset: Opening.asset(path)).addVideoOutput()
        let picture = try #require(try output.copyNextSampleBuffer()).pixelBuffer
        #expect(picture.attachments.orientation.quarterTurns != 0)
        #expect(!picture.attachments.orientation.isMirrored)
    }
}

extension PixelFormat {
    fileprivate var depthInBytes: Int { bitDepth > 8 ? 2 : 1 }
}
