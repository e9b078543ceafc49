// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphicsTestSupport
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadEditing
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import PlayheadVideoCompositions
import Testing

@testable import PlayheadComposing

/// Compositors that draw textures, effects of tracks, and layers over the video.
@Suite(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct OwnDrawingTests {
    private typealias S = ComposingSupport

    private static let buffers = [
        1: TestPictures.rgba(width: 6, height: 4) { x, y in
            SIMD4(UInt8(x * 40), UInt8(y * 60), 9, 255)
        },
        2: S.plain(4, 4, SIMD4(10, 200, 30, 255)),
    ]

    private func composition(_ ids: [Int]) -> VideoComposition {
        S.composition(
            width: 6, height: 4,
            [
                VideoCompositionInstruction(
                    timeRange: S.range(0, 10),
                    layerInstructions: ids.map { VideoCompositionLayerInstruction(trackID: $0) },
                    backgroundColor: SIMD4(1, 0, 0, 1))
            ])
    }

    // MARK: - Textures

    /// Copies a track's texture to the left half of the target, by functions that a host looks up.
    private final class LeftHalf: TextureCompositing {
        typealias Generate = @convention(c) (Int32, UnsafeMutablePointer<UInt32>?) -> Void
        typealias Bind = @convention(c) (UInt32, UInt32) -> Void
        typealias Attach = @convention(c) (UInt32, UInt32, UInt32, UInt32, Int32) -> Void
        typealias Blit =
            @convention(c) (
                Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32, UInt32, UInt32
            ) -> Void

        func draw(_ request: TextureCompositionRequest) throws {
            func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
                let address = try #require(request.context.procAddress(name))
                return unsafeBitCast(address, to: type)
            }
            let source = try #require(request.sourceTexture(byTrackID: 1))
            #expect(request.sourceTrackIDs == [1, 2])
            #expect((source.width, source.height) == (6, 4))
            #expect(request.sourceTexture(byTrackID: 3) == nil)
            var name: UInt32 = 0
            try function("glGenFramebuffers", as: Generate.self)(1, &name)
            let bind = try function("glBindFramebuffer", as: Bind.self)
            // GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D.
            bind(0x8CA8, name)
            try function("glFramebufferTexture2D", as: Attach.self)(
                0x8CA8, 0x8CE0, 0x0DE1, source.name, 0)
            // The target is bound for drawing.
            try function("glBlitFramebuffer", as: Blit.self)(
                0, 0, 3, 4, 0, 0, 3, 4, 0x4000, 0x2600)
            bind(0x8CA8, 0)
        }
    }

    @Test func `a compositor draws from the texture of each track into the target`() throws {
        var composition = composition([1])
        composition.instructions[0].additionalSourceTrackIDs = [2]
        composition.makeTextureCompositor = { LeftHalf() }
        let image = try S.picture(of: composition, at: .zero, buffers: Self.buffers)
        for x in 0..<6 {
            for y in 0..<4 {
                // The rest of the target has the background of the instruction.
                let expected: SIMD4<Int> =
                    x < 3 ? SIMD4(x * 40, y * 60, 9, 255) : SIMD4(255, 0, 0, 255)
                #expect(image.codes(x, y) == expected, "\(x), \(y)")
            }
        }
    }

    private struct Refusal: Error, CustomStringConvertible {
        var description: String { "no picture today" }
    }

    private final class Failing: TextureCompositing {
        func draw(_ request: TextureCompositionRequest) throws {
            guard request.compositionTime < S.time(2) else { throw Refusal() }
        }
    }

    private final class Careless: TextureCompositing {
        func draw(_ request: TextureCompositionRequest) throws {
            typealias Enable = @convention(c) (UInt32) -> Void
            let address = try #require(request.context.procAddress("glEnable"))
            unsafeBitCast(address, to: Enable.self)(0xFFFF)
        }
    }

    @Test func `errors of a compositor that draws are reported with their time`() throws {
        var composition = composition([1])
        composition.makeTextureCompositor = { Failing() }
        let drawer = try S.engine.makeDrawer(for: composition)
        _ = try S.picture(of: composition, at: S.time(1), buffers: Self.buffers, drawer: drawer)
        let error = #expect(throws: VideoCompositionError.self) {
            _ = try S.picture(
                of: composition, at: S.time(2), buffers: Self.buffers, drawer: drawer)
        }
        #expect(error?.code == .compositorFailed)
        #expect(error?.cause == "no picture today")
        #expect(error?.time == S.time(2))
        // The next picture is drawn.
        _ = try S.picture(of: composition, at: S.time(1), buffers: Self.buffers, drawer: drawer)

        composition.makeTextureCompositor = { Careless() }
        let other = #expect(throws: VideoCompositionError.self) {
            _ = try S.picture(of: composition, at: .zero, buffers: Self.buffers)
        }
        #expect(other?.cause.contains("OpenGL error 0x500") == true)
    }

    // MARK: - Effects

    private func effect(_ text: String) throws -> EffectInstance {
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "effect.fs")
        try Data(text.utf8).write(to: file)
        return EffectInstance(try EffectLibrary.load(file.path))
    }

    @Test func `effects of a track are applied to its frames alone, from first to last`() throws {
        let negative = try effect(
            """
            /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
            void main() {
                vec4 color = IMG_THIS_PIXEL(inputImage);
                gl_FragColor = vec4(1.0 - color.rgb, color.a);
            }
            """)
        let green = try effect(
            """
            /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
            void main() { gl_FragColor = IMG_THIS_PIXEL(inputImage) * vec4(0.0, 1.0, 0.0, 1.0); }
            """)
        var composition = composition([2, 1])
        composition.setEffects([negative, green], ofTrack: 1)
        #expect(composition.effects(ofTrack: 1).count == 2)
        let image = try S.picture(of: composition, at: .zero, buffers: Self.buffers)
        #expect(image.codes(0, 0) == SIMD4(10, 200, 30, 255))
        for y in 0..<4 {
            let found = image.codes(5, y)
            #expect(abs(found.y - (255 - y * 60)) <= 1)
            #expect((found.x, found.z) == (0, 0))
        }
        composition.setEffects([], ofTrack: 1)
        let plain = try S.picture(of: composition, at: .zero, buffers: Self.buffers)
        #expect(plain.codes(5, 3) == SIMD4(200, 180, 9, 255))
    }

    @Test func `a composition with effects needs compositing`() async throws {
        let asset = SyntheticAsset()
        let negative = try effect(
            """
            /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
            void main() { gl_FragColor = vec4(0.0, 0.0, 1.0, 1.0); }
            """)
        let composition = try await VideoComposition(applying: [negative], to: asset)
        let output = try AssetReader(asset: asset).addVideoCompositionOutput(composition)
        let frame = try #require(try output.copyNextSampleBuffer())
        #expect(frame.pixelBuffer.format == .rgba)
        #expect(S.image(frame.pixelBuffer).codes(3, 3) == SIMD4(0, 0, 255, 255))
    }

    // MARK: - Layers over the video

    @Test func `layers of the animation tool follow the timeline of the composition`() throws {
        var title = Layer(
            .color(SIMD4(1, 1, 1, 1)),
            frame: .pixels(LayerRect(x: 0, y: 0, width: 2, height: 4)))
        title.opacity = 0
        title.animate(
            .opacity([0, 1]), beginTime: S.time(2), duration: S.time(4), timingFunction: .linear)
        var composition = composition([1])
        composition.animationTool = VideoCompositionAnimationTool(over: [title])
        let drawer = try S.engine.makeDrawer(for: composition)
        for frame in 0..<6 {
            let image = try S.picture(
                of: composition, at: S.time(Int64(frame)), buffers: Self.buffers, drawer: drawer)
            let opacity = min(max(Double(frame - 2) / 4, 0), 1)
            let expected = 40 + (255 - 40) * opacity
            #expect(abs(Double(image.codes(1, 2).x) - expected) <= 1, "frame \(frame)")
            #expect(image.codes(4, 2) == SIMD4(160, 120, 9, 255))
        }
    }

    @Test func `the animation tool can place the video, also twice`() throws {
        var composition = composition([1])
        composition.renderSize = (12, 8)
        composition.instructions[0].backgroundColor = SIMD4(0, 0, 0, 1)
        composition.animationTool = VideoCompositionAnimationTool { video in
            var (left, right) = (video, video)
            left.frame = .pixels(LayerRect(x: 0, y: 4, width: 12, height: 8))
            right.frame = .pixels(LayerRect(x: 6, y: 0, width: 12, height: 8))
            return [left, right]
        }
        let image = try S.picture(of: composition, at: .zero, buffers: Self.buffers)
        for x in 0..<6 {
            for y in 0..<4 {
                let expected = SIMD4(x * 40, y * 60, 9, 255)
                #expect(image.codes(x, y + 4) == expected)
                #expect(image.codes(x + 6, y) == expected)
            }
        }
    }
}
