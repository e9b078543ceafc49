// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadDisplay

/// An image of the durations of the last frames on screen, and of the time that each took to upload
/// and draw. Each frame is a bar, and the latest is on the right.
///
/// A white bar is a frame that was shown on time. A red bar is a frame that was late or followed a
/// dropped frame. A yellow bar is a frame that was repeated because the next one was not ready. The
/// green bars in front show the work of the render thread. The grey lines are multiples of the
/// vsync interval.
struct FrameGraph {
    static let barCount = 120
    private static let barWidth = 2
    private static let height = 64
    /// The duration that corresponds to the full height, in nanoseconds: three frames at 60 Hz, or
    /// one and a half at 30 Hz.
    private static let range: Int64 = 50_000_000

    private static let background = SIMD4<UInt8>(0, 0, 0, 150)
    private static let gridline = SIMD4<UInt8>(110, 110, 110, 220)
    private static let usual = SIMD4<UInt8>(230, 230, 230, 255)
    private static let late = SIMD4<UInt8>(255, 70, 60, 255)
    private static let repeated = SIMD4<UInt8>(255, 210, 60, 255)
    private static let work = SIMD4<UInt8>(70, 220, 110, 255)

    /// Returns the graph of the given records.
    ///
    /// - Parameters:
    ///   - records: The latest records, the oldest first.
    ///   - scale: The number of screen pixels in a pixel of the design.
    static func picture(of records: [FrameRecord], scale: Int) -> PixelBuffer {
        let (width, scale) = (barCount * barWidth, max(1, scale))
        var pixels = [SIMD4<UInt8>](repeating: background, count: width * height)
        func row(_ nanoseconds: Int64) -> Int {
            Int(min(max(nanoseconds, 0), range) * Int64(height) / range)
        }
        if let period = records.last?.period, period > 0 {
            for vsync in stride(from: period, to: range, by: Int(period)) {
                let y = height - 1 - row(vsync)
                if y >= 0 { for x in 0..<width { pixels[y * width + x] = gridline } }
            }
        }
        let bars = zip(records, records.dropFirst()).suffix(barCount)
        for (index, (last, record)) in bars.enumerated() {
            guard let from = last.presentedHostTime, let to = record.presentedHostTime else {
                continue
            }
            let color =
                record.isLate || record.droppedBefore > 0
                ? late : last.repeatCount > 0 ? repeated : usual
            let x = (barCount - bars.count + index) * barWidth
            let heights = [
                (row(to - from), color),
                (row((record.uploadDuration ?? 0) + (record.drawDuration ?? 0)), work),
            ]
            for (bar, color) in heights {
                for y in 0..<min(bar, height) { pixels[(height - 1 - y) * width + x] = color }
            }
        }
        let attachments = PixelBufferAttachments(
            color: ColorAttachments(
                matrix: .rgb, range: .full, primaries: .bt709, transfer: .sRGB))
        return PixelBuffer(
            format: .rgba, width: width * scale, height: height * scale, attachments: attachments
        ) { _, bytes, bytesPerRow in
            for y in 0..<height * scale {
                for x in 0..<width * scale {
                    bytes.storeBytes(
                        of: pixels[y / scale * width + x / scale],
                        toByteOffset: y * bytesPerRow + x * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
    }
}
