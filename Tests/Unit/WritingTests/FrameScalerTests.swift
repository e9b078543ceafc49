// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Testing

@testable import PlayheadWriting

/// Frames of another size and orientation.
@Suite struct FrameScalerTests {
    private let color = ColorAttachments(matrix: .bt709, range: .limited, chromaLocation: .left)

    private func scaler(
        _ format: VideoSampleFormat, _ width: Int, _ height: Int
    ) -> FrameScaler {
        FrameScaler(
            format: format.pixelFormat, width: width, height: height, color: color)
    }

    private func whole(_ width: Int, _ height: Int) -> FrameScaler.Rectangle {
        FrameScaler.Rectangle(x: 0, y: 0, width: width, height: height)
    }

    @Test(arguments: [
        PixelFormat.yuv420p, .yuv420p10, .yuv422p, .yuv444p, .nv12,
    ])
    func `a frame of the same size keeps every sample`(format: PixelFormat) {
        let buffer = WritingSupport.frame(format, color: color) { component, x, y in
            (component * 50 + x * 7 + y * 29) & 255
        }
        let layout = VideoSampleFormat(of: format)
        var scaler = scaler(layout, 64, 48)
        let result = scaler.scale(buffer, into: whole(64, 48), orientation: .up)
        for component in 0..<3 {
            #expect(
                SamplePlane(component, of: result).samples
                    == SamplePlane(component, of: buffer).samples, "component \(component)")
        }
    }

    @Test func `flat colours stay exact at any size, and 8 bits become 10`() {
        let buffer = WritingSupport.frame(.yuv420p, color: color) { component, _, _ in
            [90, 200, 60][component]
        }
        for (width, height) in [(32, 24), (30, 70), (200, 10), (64, 48)] {
            var scaler = scaler(VideoSampleFormat(.yuv422, bitDepth: 10), width, height)
            let result = scaler.scale(buffer, into: whole(width, height), orientation: .up)
            for (component, code) in [90, 200, 60].enumerated() {
                #expect(
                    Set(SamplePlane(component, of: result).samples) == [UInt16(code * 4)])
            }
        }
    }

    @Test func `a ramp stays a ramp, with chroma in step with luma`() {
        // Luma at pixel centres; chroma at those of even columns, as it is sited on the left.
        let buffer = WritingSupport.frame(.yuv420p, width: 128, height: 16, color: color) {
            component, x, _ in component == 0 ? 40 + x : 40 + 2 * x
        }
        var scaler = scaler(VideoSampleFormat(.yuv420), 64, 8)
        let result = scaler.scale(buffer, into: whole(64, 8), orientation: .up)
        let luma = SamplePlane(0, of: result)
        let chroma = SamplePlane(1, of: result)
        for x in 4..<60 {
            // The centre of pixel x is at 2x + 1 of the source, between its pixels 2x and 2x + 1.
            #expect(abs(Double(luma.samples[x]) - (40.5 + 2 * Double(x))) <= 0.5)
        }
        for x in 2..<30 {
            // Chroma sample x is at the centre of pixel 2x, which is at 4x + 1 of the source.
            #expect(abs(Double(chroma.samples[x]) - (40.5 + 4 * Double(x))) <= 0.5)
        }
    }

    @Test func `rotated and mirrored frames have their corners in place`() {
        // Each quarter has a value: upper left 50, upper right 100, lower left 150, lower right 200.
        let buffer = WritingSupport.frame(.yuv420p, color: color) { component, x, y in
            let scale = component == 0 ? 1 : 2
            return (x * scale < 32 ? 50 : 100) + (y * scale < 24 ? 0 : 100)
        }
        // The corners as shown, clockwise from the upper left.
        let stored = [50, 100, 200, 150]
        for turns in 0..<4 {
            for isMirrored in [false, true] {
                let orientation = PictureOrientation(quarterTurns: turns, isMirrored: isMirrored)
                let size = turns % 2 == 1 ? (48, 64) : (64, 48)
                var scaler = scaler(VideoSampleFormat(.yuv420), size.0, size.1)
                let result = scaler.scale(
                    buffer, into: whole(size.0, size.1), orientation: orientation)
                let mirrored = isMirrored ? [100, 50, 150, 200] : stored
                let expected = (0..<4).map { mirrored[($0 - turns + 4) % 4] }
                for component in 0..<3 {
                    let plane = SamplePlane(component, of: result)
                    let last = plane.samples.count - 1
                    let corners = [
                        plane.samples[0], plane.samples[plane.width - 1], plane.samples[last],
                        plane.samples[last - plane.width + 1],
                    ].map(Int.init)
                    #expect(corners == expected, "\(turns) turns, mirrored \(isMirrored)")
                }
            }
        }
    }

    @Test func `what lies outside of the rectangle is black`() {
        let buffer = WritingSupport.frame(.yuv420p, width: 16, height: 16, color: color) {
            component, _, _ in component == 0 ? 180 : 90
        }
        var scaler = scaler(VideoSampleFormat(.yuv420), 32, 16)
        let result = scaler.scale(
            buffer, into: FrameScaler.Rectangle(x: 8, y: 0, width: 16, height: 16),
            orientation: .up)
        let (luma, chroma) = (SamplePlane(0, of: result), SamplePlane(1, of: result))
        #expect(Array(luma.samples[6..<10]) == [16, 16, 180, 180])
        #expect(Array(luma.samples[22..<26]) == [180, 180, 16, 16])
        #expect(Array(chroma.samples[3..<5]) == [128, 90])
        #expect(Array(chroma.samples[11..<13]) == [90, 128])
    }
}
