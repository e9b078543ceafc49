// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import Testing

@Suite struct FrameNumberStripTests {
    static let formats: [PixelFormat] = [
        .yuv420p, .yuv420p10, .yuv422p, .yuv444p, .yuva420p, .nv12, .rgba, .bgra, .gray8,
    ]

    @Test(arguments: formats)
    func `a number written in any format reads back`(format: PixelFormat) {
        for number in [0, 1, 2, 255, 256, 0x2A_AAAA, 0x15_5555, FrameNumberStrip.limit - 1] {
            let picture = SyntheticPicture(number: number, width: 320, height: 90, isFlash: false)
            #expect(FrameNumberStrip.read(from: picture.pixelBuffer(format: format)) == number)
        }
    }

    @Test(arguments: [(32, 8), (33, 9), (100, 40), (255, 41), (256, 32), (1919, 1079)])
    func `a number fits into any frame that is wide enough for the strip`(width: Int, height: Int) {
        let picture = SyntheticPicture(number: 4711, width: width, height: height, isFlash: true)
        #expect(FrameNumberStrip.read(from: picture.pixelBuffer()) == 4711)
    }

    @Test func `frames without a strip have no number`() {
        for level in [UInt8(0), 16, 128, 235, 255] {
            let plain = PixelBuffer(format: .gray8, width: 256, height: 64) { _, bytes, _ in
                bytes.initializeMemory(as: UInt8.self, repeating: level)
            }
            #expect(FrameNumberStrip.read(from: plain) == nil)
        }
        let picture = SyntheticPicture(number: 1, width: 16, height: 16, isFlash: false)
        #expect(FrameNumberStrip.read(from: picture.pixelBuffer()) == nil)
    }

    @Test func `one wrong block is noticed`() {
        for number in [0, 77, 0x15_5555] {
            let right = FrameNumberStrip.blocks(for: number)
            for wrong in 2..<right.count {
                var blocks = right
                blocks[wrong].toggle()
                let read = FrameNumberStrip.read(
                    in: FrameNumberStrip.Area(width: 256, height: 32), sourceWidth: 256,
                    sourceHeight: 32
                ) { x, y in blocks[y / 16 * 16 + x / 16] ? 200 : 40 }
                #expect(read == nil)
            }
        }
    }

    @Test(arguments: [0.25, 0.4, 0.77, 1.3, 3.1])
    func `the strip survives scaling, dimming, noise and an offset`(scale: Double) {
        let blocks = FrameNumberStrip.blocks(for: 123_456)
        let area = FrameNumberStrip.Area(
            x: 10.4, y: 7.7, width: 640 * scale, height: 360 * scale)
        let read = FrameNumberStrip.read(in: area, sourceWidth: 640, sourceHeight: 360) { x, y in
            let column = Int((Double(x) + 0.5 - area.x) / scale / 16)
            let row = Int((Double(y) + 0.5 - area.y) / scale / 16)
            let noise = Double((x &* 7919 &+ y &* 104_729) % 41 - 20)
            return (blocks[min(max(row, 0), 1) * 16 + min(max(column, 0), 15)] ? 120 : 60) + noise
        }
        #expect(read == 123_456)
    }
}
