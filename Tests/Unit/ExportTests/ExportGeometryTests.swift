// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadWriting
import Testing

@testable import PlayheadExport

/// The sizes of exported frames, without files.
@Suite struct ExportGeometryTests {
    private func buffer(
        _ width: Int, _ height: Int, turns: Int = 0, aspect: (Int, Int) = (1, 1)
    ) -> PixelBuffer {
        PixelBuffer(
            format: .yuv420p, width: width, height: height,
            attachments: PixelBufferAttachments(
                pixelAspectRatio: .init(horizontal: aspect.0, vertical: aspect.1),
                orientation: .init(quarterTurns: turns))
        ) { _, _, _ in }
    }

    private func geometry(
        _ buffer: PixelBuffer, _ limits: (Int, Int) = (0, 0),
        renderSize: (width: Double, height: Double)? = nil, keepsOrientation: Bool = true
    ) -> ExportGeometry {
        ExportGeometry(
            ExportPicture(buffer), limits: (limits.0, limits.1), renderSize: renderSize,
            format: VideoSampleFormat(.yuv420), keepsOrientation: keepsOrientation)
    }

    @Test func `frames are never enlarged, and portrait fits the size turned upright`() {
        let cases: [(Int, Int, Int, Int)] = [
            (1920, 1080, 1280, 720), (640, 360, 640, 360), (1080, 1920, 720, 1280),
            (1920, 800, 1280, 532), (1440, 1080, 960, 720), (1280, 720, 1280, 720),
        ]
        for (width, height, newWidth, newHeight) in cases {
            let result = geometry(buffer(width, height), (1280, 720))
            #expect((result.width, result.height) == (newWidth, newHeight))
        }
    }

    @Test func `anamorphic frames keep their pixels, or are scaled to square ones`() {
        let dvd = buffer(720, 576, aspect: (64, 45))
        let whole = geometry(dvd)
        #expect((whole.width, whole.height) == (720, 576))
        #expect(whole.pixelAspectRatio == .init(horizontal: 64, vertical: 45))
        #expect(whole.isUnscaled(dvd))
        let small = geometry(dvd, (640, 480))
        #expect((small.width, small.height) == (640, 360))
        #expect(small.pixelAspectRatio == .square)
        #expect(
            small.rectangle(of: dvd) == FrameScaler.Rectangle(x: 0, y: 0, width: 640, height: 360))
    }

    @Test func `a rotation is declared where that is possible, and applied elsewhere`() {
        let phone = buffer(1920, 1080, turns: 1)
        let declared = geometry(phone, (1280, 720))
        #expect((declared.width, declared.height) == (1280, 720))
        #expect(declared.orientation.quarterTurns == 1)
        #expect(declared.rotation(of: phone) == .up)
        let applied = geometry(phone, (1280, 720), keepsOrientation: false)
        #expect((applied.width, applied.height) == (720, 1280))
        #expect(applied.rotation(of: phone).quarterTurns == 1)
        #expect(
            applied.rectangle(of: phone)
                == FrameScaler.Rectangle(x: 0, y: 0, width: 720, height: 1280))
    }

    @Test func `frames of another shape get bars at even places`() {
        let result = geometry(buffer(1920, 1080), renderSize: (1280, 720), keepsOrientation: false)
        #expect((result.width, result.height) == (1280, 720))
        #expect(
            result.rectangle(of: buffer(640, 480))
                == FrameScaler.Rectangle(x: 160, y: 0, width: 960, height: 720))
        #expect(
            result.rectangle(of: buffer(1000, 300))
                == FrameScaler.Rectangle(x: 0, y: 168, width: 1280, height: 384))
    }

    @Test func `odd sizes become even, by scaling`() {
        let odd = buffer(853, 481)
        let result = geometry(odd)
        #expect((result.width, result.height) == (852, 480))
        #expect(!result.isUnscaled(odd))
        #expect(
            result.rectangle(of: odd)
                == FrameScaler.Rectangle(x: 0, y: 0, width: 852, height: 480))
    }
}
