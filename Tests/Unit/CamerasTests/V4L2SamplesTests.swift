// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Testing

@testable import PlayheadCameras

/// The copy of a driver's samples.
@Suite struct V4L2SamplesTests {
    /// A value for each component and place, and none that is in a margin.
    private static func value(_ component: Int, _ x: Int, _ y: Int) -> UInt8 {
        UInt8((component * 83 + x * 7 + y * 29) % 251)
    }

    private static let margin: UInt8 = 254

    /// Returns a driver's buffer with a margin behind each row.
    private static func packed(_ samples: V4L2Samples) -> [UInt8] {
        let (width, height, row) = (samples.width, samples.height, samples.bytesPerRow)
        var bytes = [UInt8](repeating: margin, count: samples.byteCount)
        for y in 0..<height {
            for x in 0..<width {
                let luma = value(0, x, y)
                switch samples.subType {
                case "YUYV":
                    bytes[y * row + 2 * x] = luma
                    bytes[y * row + 2 * x + 1] = value(1 + x % 2, x / 2, y)
                case "UYVY":
                    bytes[y * row + 2 * x + 1] = luma
                    bytes[y * row + 2 * x] = value(1 + x % 2, x / 2, y)
                default: bytes[y * row + x] = luma
                }
            }
        }
        for y in 0..<((height + 1) / 2) {
            for x in 0..<((width + 1) / 2) {
                if samples.subType == "NV12" {
                    bytes[row * (height + y) + 2 * x] = value(1, x, y)
                    bytes[row * (height + y) + 2 * x + 1] = value(2, x, y)
                }
                if samples.subType == "YU12" {
                    let half = (row + 1) / 2
                    let start = row * height
                    bytes[start + half * y + x] = value(1, x, y)
                    bytes[start + half * ((height + 1) / 2) + half * y + x] = value(2, x, y)
                }
            }
        }
        return bytes
    }

    @Test(
        arguments: ["YUYV", "UYVY", "NV12", "YU12", "GREY"],
        [(16, 6, 0), (34, 7, 10), (2, 2, 64), (640, 2, 32)])
    func `every sample arrives in its plane, and no margin`(
        subType: String, shape: (width: Int, height: Int, margin: Int)
    ) {
        let isPacked = subType == "YUYV" || subType == "UYVY"
        let samples = V4L2Samples(
            subType: subType, width: shape.width, height: shape.height,
            bytesPerRow: shape.width * (isPacked ? 2 : 1) + shape.margin)
        let bytes = Self.packed(samples)
        let buffer = bytes.withUnsafeBytes {
            samples.copy(
                $0, attachments: PixelBufferAttachments(),
                pool: PlainPixelBufferPool(byteLimit: 1 << 20))
        }
        #expect(buffer.format == samples.pixelFormat)
        for (index, component) in buffer.format.components.enumerated() {
            let plane = buffer.planes[component.plane]
            for y in 0..<plane.height {
                for x in 0..<plane.width {
                    let found = plane.baseAddress.load(
                        fromByteOffset: y * plane.bytesPerRow + x * component.step
                            + component.offset, as: UInt8.self)
                    let expected = Self.value(index, x, y)
                    guard found != expected else { continue }
                    Issue.record("component \(index) at \(x), \(y): \(found), not \(expected)")
                    return
                }
            }
        }
    }
}
