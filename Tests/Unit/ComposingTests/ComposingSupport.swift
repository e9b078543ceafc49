// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEditing
import PlayheadEffects
import PlayheadTime
import PlayheadVideoCompositions

@testable import PlayheadComposing

/// Compositions of buffers that the tests make, without files.
enum ComposingSupport {
    static let engine = LayerCompositionEngine { name throws(EffectError) in
        try EffectLibrary.load(name)
    }

    static func time(_ frame: Int64, _ scale: Int32 = 10) -> MediaTime {
        MediaTime(value: frame, timescale: scale)
    }

    static func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
        MediaTimeRange(start: time(start), end: time(end))
    }

    static func composition(
        width: Int, height: Int, _ instructions: [VideoCompositionInstruction]
    ) -> VideoComposition {
        var composition = VideoComposition(
            renderSize: (width, height), frameDuration: time(1))
        composition.instructions = instructions
        return composition
    }

    /// Returns the picture at a time.
    static func picture(
        of composition: VideoComposition, at time: MediaTime, buffers: [Int: PixelBuffer],
        drawer: any VideoCompositionDrawer
    ) throws -> RGBAImage {
        let index = composition.instructionIndex(at: time) ?? 0
        let frame = VideoCompositionFrame(
            time: time, duration: composition.frameDuration,
            instruction: composition.instructions[index], instructionIndex: index,
            sourceFrames: buffers.mapValues {
                VideoFrame(
                    pixelBuffer: $0, presentationTime: time, duration: .invalid, isKeyframe: true)
            })
        return image(try drawer.draw(frame))
    }

    static func picture(
        of composition: VideoComposition, at time: MediaTime, buffers: [Int: PixelBuffer]
    ) throws -> RGBAImage {
        try picture(
            of: composition, at: time, buffers: buffers,
            drawer: engine.makeDrawer(for: composition))
    }

    /// Copies the pixels of a buffer in `.rgba`.
    static func image(_ buffer: PixelBuffer) -> RGBAImage {
        let plane = buffer.planes[0]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(buffer.width * buffer.height * 4)
        for row in 0..<buffer.height {
            bytes.append(
                contentsOf: UnsafeRawBufferPointer(
                    start: plane.baseAddress + row * plane.bytesPerRow, count: buffer.width * 4))
        }
        return RGBAImage(width: buffer.width, height: buffer.height, bytes: bytes)
    }

    static func plain(_ width: Int, _ height: Int, _ color: SIMD4<UInt8>) -> PixelBuffer {
        TestPictures.rgba(width: width, height: height) { _, _ in color }
    }
}

extension RGBAImage {
    /// The components of a pixel, as numbers that can be computed with.
    func codes(_ x: Int, _ y: Int) -> SIMD4<Int> {
        let place = (y * width + x) * 4
        return SIMD4(
            Int(bytes[place]), Int(bytes[place + 1]), Int(bytes[place + 2]), Int(bytes[place + 3]))
    }
}
