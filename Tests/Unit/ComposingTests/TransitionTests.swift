// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
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
        let pictures = try pictures(.effect(file.path))
        #expect(pictures[0].bytes == first.bytes)
        for (value, ends) in zip(pictures[3].bytes, zip(first.bytes, second.bytes)) {
            #expect(abs(Double(value) - (Double(ends.0) + Double(ends.1)) / 2) <= 1)
        }
        for (name, text) in [
            ("/missing.glsl", "/missing.glsl"), ("vignette", "not a transition"),
        ] {
            let error = #expect(throws: VideoCompositionError.self) {
                _ = try self.pictures(.effect(name))
            }
            #expect(error?.code == .invalidEffect)
            #expect(error?.instructionIndex == 0)
            #expect(error?.description.contains(text) == true)
        }
    }
}
