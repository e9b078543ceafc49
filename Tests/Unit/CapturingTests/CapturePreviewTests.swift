// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphicsTestSupport
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadEffects
import PlayheadFFmpeg
import PlayheadGL
import PlayheadLayers
import PlayheadPlayback
import PlayheadTextures
import PlayheadTime
import PlayheadWriting
import Synchronization
import Testing

@testable import PlayheadCapturing

/// The preview as a source of frames.
@Suite struct CapturePreviewTests {
    private let folder = TemporaryFolder()

    @Test func `the newest frame is due, and replaces one that was not taken`() throws {
        let subject = try SyntheticSession()
        let preview = CapturePreview()
        try subject.session.addOutput(preview)
        try subject.session.startRunning()
        #expect(!preview.hasNewPixelBuffer(forItemTime: .zero))
        #expect(preview.copyPixelBuffer(forItemTime: .zero) == nil)
        subject.advance(pastFrame: 4)
        #expect(preview.hasNewPixelBuffer(forItemTime: .zero))
        let (picture, time) = try #require(preview.copyPixelBuffer(forItemTime: .zero))
        #expect(FrameNumberStrip.read(from: picture) == 4)
        #expect(time == subject.time(of: 4))
        #expect(!preview.hasNewPixelBuffer(forItemTime: .zero))
        #expect(preview.copyPixelBuffer(forItemTime: .zero)?.0 === picture)
        #expect(preview.replacedFrameCount == 4)
    }

    @Test func `clients are notified once, of the next frame or of one that waits`() throws {
        let subject = try SyntheticSession()
        let preview = CapturePreview()
        try subject.session.addOutput(preview)
        try subject.session.startRunning()
        let calls = Mutex(0)
        let direct = ObservationQueue { $0() }
        let first = preview.notifyOfMediaDataChange(withAdvanceInterval: .zero, on: direct) {
            calls.withLock { $0 += 1 }
        }
        #expect(calls.withLock { $0 } == 0)
        subject.advance(pastFrame: 2)
        #expect(calls.withLock { $0 } == 1)
        let second = preview.notifyOfMediaDataChange(withAdvanceInterval: .zero, on: direct) {
            calls.withLock { $0 += 1 }
        }
        #expect(calls.withLock { $0 } == 2)
        _ = preview.copyPixelBuffer(forItemTime: .zero)
        let third = preview.notifyOfMediaDataChange(withAdvanceInterval: .zero, on: direct) {
            calls.withLock { $0 += 1 }
        }
        third.cancel()
        subject.advance(pastFrame: 3)
        #expect(calls.withLock { $0 } == 2)
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a camera that is gone leaves the last frame, and no news`() throws {
        let subject = try SyntheticSession()
        let preview = CapturePreview()
        try subject.session.addOutput(preview)
        try subject.session.startRunning()
        subject.advance(pastFrame: 5)
        _ = preview.copyPixelBuffer(forItemTime: .zero)
        subject.session.stopRunning()
        subject.advance(frames: 30)
        #expect(!preview.hasNewPixelBuffer(forItemTime: .zero))
    }

    /// Draws a source with an effect.
    private static func draw(_ source: any PixelBufferSource, _ context: HeadlessContext) throws
        -> [UInt8]
    {
        let effect = try ISFImporter.effect(
            text: """
                /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
                void main() {
                    vec4 a = IMG_THIS_PIXEL(inputImage);
                    vec4 b = IMG_NORM_PIXEL(inputImage, isf_FragNormCoord.yx);
                    gl_FragColor = vec4(mix(a.rgb, 1.0 - b.gbr, 0.37), 1.0);
                }
                """, path: "mix.fs")
        let renderer = VideoRenderer(context: context)
        let framebuffer = try GLFramebuffer(width: 320, height: 180, context: context)
        let scene = Scene(layers: [Layer(.video(source), effects: [EffectInstance(effect)])])
        let report = renderer.render(scene, hostTime: .zero, into: RenderTarget(framebuffer))
        #expect(report.problems.isEmpty)
        return framebuffer.image().bytes
    }

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: [PixelFormat.yuv420p, .yuv422p])
    func `an effect on a camera equals the effect on the same frames of a file, to the bit`(
        format: PixelFormat
    ) throws {
        let count = 6
        let subject = try SyntheticSession(width: 320, height: 180, pixelFormat: format)
        let preview = CapturePreview()
        try subject.session.addOutput(preview)
        try subject.session.startRunning()
        // The frames as the camera delivers them, into a lossless file.
        let path = folder.appending("camera.mkv").path
        let writer = try AssetWriter(path: path, engine: FFmpegWritingEngine())
        var settings = VideoOutputSettings(
            codec: .ffv1, width: 320, height: 180, sampleFormat: VideoSampleFormat(of: format))
        settings.color = SyntheticCameraBackend.color
        let input = AssetWriterInput(video: settings)
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: subject.time(of: 0))
        try GraphicsTest.withContext { context in
            var live: [[UInt8]] = []
            for number in 0..<count {
                subject.advance(pastFrame: number)
                let (frame, time) = try #require(preview.copyPixelBuffer(forItemTime: .zero))
                try input.appendAndWait(frame, at: time)
                live.append(try Self.draw(preview, context))
            }
            try writer.finishWritingAndWait()
            let location = AssetLocation(path)
            let reader = try AssetReader(
                asset: URLAsset(location: location, opener: FFmpegOpener(location)))
            let output = try reader.addVideoOutput()
            for (number, expected) in live.enumerated() {
                let frame = try #require(try output.copyNextSampleBuffer())
                #expect(FrameNumberStrip.read(from: frame.pixelBuffer) == number)
                let drawn = try Self.draw(StillSource(frame.pixelBuffer), context)
                #expect(drawn == expected, "frame \(number)")
            }
        }
    }
}
