// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphicsTestSupport
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadCompositions
import PlayheadEditing
import PlayheadTime
import PlayheadVideoCompositions
import Testing

@testable import PlayheadComposing

@Suite(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct TransitionTests {
    private typealias S = ComposingSupport
    private static let buffers = [
        1: TestPictures.rgba(width: 20, height: 10) { x, y in
            SIMD4(UInt8(x * 12), UInt8(y * 25), 0, 255)
        },
        2: TestPictures.rgba(width: 20, height: 10) { x, y in
            SIMD4(UInt8(255 - x * 12), 0, UInt8(y * 25), 255)
        },
    ]

    /// Returns the picture of each frame of a transition of 11 frames.
    private func pictures(
        _ kind: VideoCompositionTransition.Kind
    ) throws -> [RGBAImage] {
        var instruction = VideoCompositionInstruction(
            timeRange: S.range(0, 11),
            layerInstructions: [1, 2].map { VideoCompositionLayerInstruction(trackID: $0) })
        instruction.transition = VideoCompositionTransition(kind, from: 1, to: 2)
        let composition = S.composition(width: 20, height: 10, [instruction])
        let drawer = try S.engine.makeDrawer(for: composition)
        return try (0..<11).map {
            try S.picture(
                of: composition, at: S.time($0), buffers: Self.buffers, drawer: drawer)
        }
    }

    private let first = ComposingSupport.image(buffers[1]!)
    private let second = ComposingSupport.image(buffers[2]!)

    @Test
    func `a dissolve is the mixture at every frame, the first at its start, the second at its end`()
        throws
    {
        let pictures = try pictures(.dissolve)
        #expect(pictures[0].bytes == first.bytes)
        #expect(pictures[10].bytes == second.bytes)
        for (index, picture) in pictures.enumerated() {
            let progress = Double(index) / 10
            for (value, ends) in zip(picture.bytes, zip(first.bytes, second.bytes)) {
                let expected = Double(ends.0) * (1 - progress) + Double(ends.1) * progress
                #expect(abs(Double(value) - expected) <= 1)
            }
        }
    }

    @Test(arguments: VideoCompositionTransition.Edge.allCases)
    func `a push moves both pictures by whole pixels`(edge: VideoCompositionTransition.Edge)
        throws
    {
        let pictures = try pictures(.push(from: edge))
        for (index, picture) in pictures.enumerated() {
            // 20 x 10 pixels: a tenth of the way is 2 columns or 1 row.
            let (dx, dy) =
                switch edge {
                case .left: (2 * index, 0)
                case .right: (-2 * index, 0)
                case .top: (0, index)
                case .bottom: (0, -index)
                }
            for x in 0..<20 {
                for y in 0..<10 {
                    let (left, top) = (x - dx, y - dy)
                    let isFirst = (0..<20).contains(left) && (0..<10).contains(top)
                    let expected =
                        isFirst
                        ? first.codes(left, top) : second.codes((left + 20) % 20, (top + 10) % 10)
                    #expect(picture.codes(x, y) == expected, "frame \(index) at \(x), \(y)")
                }
            }
        }
    }

    @Test(arguments: VideoCompositionTransition.Edge.allCases)
    func `a wipe uncovers the second picture from its edge`(
        edge: VideoCompositionTransition.Edge
    ) throws {
        let pictures = try pictures(.wipe(from: edge))
        for (index, picture) in pictures.enumerated() {
            for x in 0..<20 {
                for y in 0..<10 {
                    let isSecond =
                        switch edge {
                        case .left: x < 2 * index
                        case .right: x >= 20 - 2 * index
                        case .top: y < index
                        case .bottom: y >= 10 - index
                        }
                    #expect(picture.codes(x, y) == (isSecond ? second : first).codes(x, y))
                }
            }
        }
    }

    @Test func `an effect is loaded by its path, with errors of its instruction`() throws {
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "half.glsl")
        try Data(
            "vec4 transition(vec2 uv) { return mix(getFromColor(uv), getToColor(uv), 0.5); }".utf8
        )
        .write(to: file)
        // The effect's own formula holds at the ends too.
        for picture in try pictures(.effect(file.path)) {
            for (value, ends) in zip(picture.bytes, zip(first.bytes, second.bytes)) {
                #expect(abs(Double(value) - (Double(ends.0) + Double(ends.1)) / 2) <= 1)
            }
        }
        for (name, text) in [
            ("/missing.glsl", "/missing.glsl"), ("/missing.glsl", "; check the path"),
            ("vignette", "not a transition"),
        ] {
            let error = #expect(throws: VideoCompositionError.self) {
                _ = try self.pictures(.effect(name))
            }
            #expect(error?.code == .invalidEffect)
            #expect(error?.instructionIndex == 0)
            #expect(error?.description.contains(text) == true)
        }
    }

    @Test func `progress is 0 in the first frame of the overlap, and 1 in the last`() throws {
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "progress.glsl")
        try Data("vec4 transition(vec2 uv) { return vec4(progress, 0.0, 0.0, 1.0); }".utf8)
            .write(to: file)
        let pictures = try pictures(.effect(file.path))
        for (index, picture) in pictures.enumerated() {
            let expected = 25.5 * Double(index)
            #expect(abs(Double(picture.codes(7, 5).x) - expected) <= 0.51, "frame \(index)")
        }
    }

    @Test func `both videos run during a transition`() throws {
        let composition = MutableComposition()
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                frameDuration: MediaTime(value: 1, timescale: 10), count: 30), sounds: [])
        (media.width, media.height) = (256, 32)
        let asset = SyntheticAsset(media)
        let source = try AssetReader(asset: asset).description.tracks[0]
        // Track 1 plays frames 0 to 14, and from frame 10 on, track 2 plays frames 3 to 17.
        let tracks = try (0..<2).map { _ in
            try composition.addMutableTrack(withMediaType: .video)
        }
        try tracks[0].insertTimeRange(S.range(0, 15), of: source, in: asset, at: .zero)
        try tracks[1].insert([.empty(duration: S.time(10))], at: .invalid)
        try tracks[1].insertTimeRange(S.range(3, 18), of: source, in: asset, at: S.time(10))
        let ids = composition.tracks.map(\.trackID)
        // The upper half shows the first video, the lower one the second.
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "halves.glsl")
        try Data(
            """
            vec4 transition(vec2 uv) {
                return uv.y > 0.5
                    ? getFromColor(vec2(uv.x, uv.y * 2.0 - 1.0))
                    : getToColor(vec2(uv.x, uv.y * 2.0));
            }
            """.utf8
        ).write(to: file)
        let layers = ids.map { id in
            var layer = VideoCompositionLayerInstruction(trackID: id)
            layer.setTransform(.scale(x: 1, y: 2), at: .zero)
            return layer
        }
        var overlap = VideoCompositionInstruction(
            timeRange: S.range(10, 15), layerInstructions: layers)
        overlap.transition = VideoCompositionTransition(
            .effect(file.path), from: ids[0], to: ids[1])
        let rules = S.composition(
            width: 256, height: 64,
            [
                VideoCompositionInstruction(
                    timeRange: S.range(0, 10), layerInstructions: [layers[0]]),
                overlap,
                VideoCompositionInstruction(
                    timeRange: S.range(15, 25), layerInstructions: [layers[1]]),
            ])
        let output = try AssetReader(asset: composition.makeAsset())
            .addVideoCompositionOutput(rules)
        var numbers: [[Int?]] = []
        while let frame = try output.copyNextSampleBuffer() {
            guard S.range(10, 15).contains(frame.presentationTime) else { continue }
            let image = S.image(frame.pixelBuffer)
            numbers.append(
                [0.0, 32].map { y in
                    image.bytes.withUnsafeBytes {
                        FrameNumberStrip.read(
                            fromRGBA: $0, width: 256, height: 64,
                            picture: FrameNumberStrip.Area(x: 0, y: y, width: 256, height: 32),
                            sourceWidth: 256, sourceHeight: 32)
                    }
                })
        }
        #expect(numbers == (0..<5).map { [10 + $0, 3 + $0] })
    }
}
