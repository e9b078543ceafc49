// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadLayers
import PlayheadTextures
import PlayheadTime
import Testing

@Suite("Deinterlacing", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct DeinterlacingTests {
    private static let width = 64
    private static let height = 32

    /// Returns a frame of two fields, with luma from column, row and number of the field.
    private static func frame(
        _ order: PixelBufferAttachments.FieldOrder, _ luma: (Int, Int, Int) -> UInt8
    ) -> PixelBuffer {
        PixelBuffer(
            format: .yuv420p, width: width, height: height,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(matrix: .bt709, range: .full), fieldOrder: order)
        ) { plane, bytes, bytesPerRow in
            for y in 0..<(plane == 0 ? height : height / 2) {
                for x in 0..<(plane == 0 ? width : width / 2) {
                    let field = (y % 2 == 0) == (order != .bottomFieldFirst) ? 0 : 1
                    bytes[y * bytesPerRow + x] = plane == 0 ? luma(x, y, field) : 128
                }
            }
        }
    }

    /// Returns frames with a white bar that moves by 8 columns a field.
    private static func bar(
        _ number: Int, _ order: PixelBufferAttachments.FieldOrder
    ) -> PixelBuffer {
        frame(order) { x, _, field in
            let left = 4 + 8 * (2 * number + field)
            return x >= left && x < left + 8 ? 235 : 16
        }
    }

    /// Draws the frames one after the other, 40 ms apart, and returns the images at the given
    /// times.
    private static func draw(
        _ frames: [PixelBuffer], at milliseconds: [Int64], _ deinterlacing: Deinterlacing,
        conversion: PictureConversion = .gpu
    ) throws -> [(image: RGBAImage, wasDrawn: Bool)] {
        try GraphicsTest.withContext { context in
            let target = try GLFramebuffer(width: width, height: height, context: context)
            let renderer = VideoRenderer(context: context, conversion: conversion)
            let source = StillSource()
            var layer = Layer(.video(source))
            layer.deinterlacing = deinterlacing
            var shown = -1
            return milliseconds.map { time in
                let number = min(Int(time) / 40, frames.count - 1)
                if number != shown {
                    source.show(
                        frames[number], at: MediaTime(value: Int64(number) * 40, timescale: 1000))
                    shown = number
                }
                let report = renderer.render(
                    Scene(layers: [layer]), hostTime: MediaTime(value: time, timescale: 1000),
                    into: RenderTarget(target), redraw: .ifChanged)
                #expect(report.problems.isEmpty && GLState.takeError() == nil)
                return (target.image(), report.wasDrawn)
            }
        }
    }

    /// Draws videos next to each other, and returns the image of each one's layer.
    private static func draw(
        _ films: [(source: StillSource, deinterlacing: Deinterlacing)], at milliseconds: Int64,
        _ renderer: VideoRenderer, into target: GLFramebuffer,
        redraw: VideoRenderer.Redraw = .always
    ) -> [RGBAImage] {
        let layers = films.enumerated().map { index, film in
            var layer = Layer(
                .video(film.source),
                frame: .pixels(
                    LayerRect(
                        x: Double(index * width), y: 0, width: Double(width),
                        height: Double(height))))
            layer.deinterlacing = film.deinterlacing
            return layer
        }
        let report = renderer.render(
            Scene(layers: layers), hostTime: MediaTime(value: milliseconds, timescale: 1000),
            into: RenderTarget(target), redraw: redraw)
        #expect(report.problems.isEmpty && report.wasDrawn)
        let image = target.image()
        return films.indices.map { index in
            RGBAImage(
                width: width, height: height,
                bytes: (0..<height).flatMap { row in
                    let start = (row * films.count + index) * width * 4
                    return image.bytes[start..<start + width * 4]
                })
        }
    }

    /// Returns the white columns of a row.
    private static func white(_ image: RGBAImage, row: Int) -> [Int] {
        (0..<width).filter { image[$0, row].x > 128 }
    }

    @Test(
        arguments: [Deinterlacing.bob, .adaptive],
        [PixelBufferAttachments.FieldOrder.topFieldFirst, .bottomFieldFirst])
    func `each field is shown for its half of the frame, without combing`(
        deinterlacing: Deinterlacing, order: PixelBufferAttachments.FieldOrder
    ) throws {
        let frames = (0..<3).map { Self.bar($0, order) }
        for conversion in PictureConversion.allCases {
            let shown = try Self.draw(
                frames, at: [0, 20, 40, 60, 80, 100], deinterlacing, conversion: conversion)
            for (field, (image, wasDrawn)) in shown.enumerated() {
                #expect(wasDrawn)
                let left = 4 + 8 * field
                for row in 0..<Self.height {
                    #expect(
                        Self.white(image, row: row) == Array(left..<left + 8),
                        "field \(field), row \(row)")
                }
            }
        }
    }

    @Test func `still areas keep all rows in the adaptive method, and half in bob`() throws {
        let frames = (0..<3).map { _ in
            Self.frame(.topFieldFirst) { x, y, _ in UInt8((x * 37 + y * 91 + x * y * 13) % 200 + 20)
            }
        }
        let plain = try Self.draw(frames, at: [0, 40, 80], .none)[2].image
        let adaptive = try Self.draw(frames, at: [0, 40, 60, 80, 100], .adaptive)
        for (image, _) in adaptive[1...] { #expect(image == plain) }
        let bob = try Self.draw(frames, at: [0, 40, 80], .bob)[2].image
        #expect(bob != plain)
    }

    @Test func `without deinterlacing, and without a flag, frames are shown as stored`() throws {
        let frame = Self.bar(0, .topFieldFirst)
        let combed = try Self.draw([frame], at: [0], .none)[0].image
        #expect(Self.white(combed, row: 10) != Self.white(combed, row: 11))
        var attachments = frame.attachments
        attachments.fieldOrder = .progressive
        let progressive = PixelBuffer(
            format: frame.format, width: frame.width, height: frame.height, planes: frame.planes,
            attachments: attachments, owner: frame)
        #expect(try Self.draw([progressive], at: [0], .adaptive)[0].image == combed)
    }

    @Test func `layers of one video use their own methods, also after a change while paused`()
        throws
    {
        let frames = (0..<2).map { _ in
            Self.frame(.topFieldFirst) { x, y, _ in UInt8((x * 37 + y * 91 + x * y * 13) % 200 + 20)
            }
        }
        func alone(_ deinterlacing: Deinterlacing) throws -> RGBAImage {
            try Self.draw(frames, at: [0, 40], deinterlacing)[1].image
        }
        let images: [Deinterlacing: RGBAImage] = [
            .none: try alone(.none), .bob: try alone(.bob), .adaptive: try alone(.adaptive),
        ]
        try GraphicsTest.withContext { context in
            let target = try GLFramebuffer(
                width: 2 * Self.width, height: Self.height, context: context)
            let renderer = VideoRenderer(context: context, conversion: .gpu)
            let source = StillSource()
            /// Returns the halves of the target, each with a layer of its own kind.
            func halves(_ kinds: [Deinterlacing], at milliseconds: Int64) -> [RGBAImage] {
                Self.draw(
                    kinds.map { (source, $0) }, at: milliseconds, renderer, into: target,
                    redraw: .ifChanged)
            }
            source.show(frames[0])
            _ = halves([.bob, .adaptive], at: 0)
            source.show(frames[1], at: MediaTime(value: 40, timescale: 1000))
            // In the second and third round the video is paused.
            for kinds: [Deinterlacing] in [[.bob, .adaptive], [.adaptive, .bob], [.bob, .none]] {
                #expect(halves(kinds, at: 40) == kinds.compactMap { images[$0] }, "\(kinds)")
            }
        }
    }

    @Test(
        arguments: [PictureConversion.gpu, .cpu],
        [[Deinterlacing.bob, .none], [.none, .bob], [.none, .adaptive], [.none, .none, .bob]])
    func `the order of layers does not change their methods`(
        conversion: PictureConversion, kinds: [Deinterlacing]
    ) throws {
        let frames = (0..<2).map { Self.bar($0, .topFieldFirst) }
        let alone = try kinds.map { try Self.draw(frames, at: [0, 40, 60], $0).map(\.image) }
        try GraphicsTest.withContext { context in
            let target = try GLFramebuffer(
                width: kinds.count * Self.width, height: Self.height, context: context)
            let renderer = VideoRenderer(context: context, conversion: conversion)
            let source = StillSource()
            for (index, time) in ([0, 40, 60] as [Int64]).enumerated() {
                if index < 2 {
                    source.show(frames[index], at: MediaTime(value: time, timescale: 1000))
                }
                let shown = Self.draw(
                    kinds.map { (source, $0) }, at: time, renderer, into: target)
                #expect(shown == alone.map { $0[index] }, "at \(time)")
            }
        }
    }

    @Test func `a paused video keeps its frame beside a playing one, whose textures are reused`()
        throws
    {
        try GraphicsTest.withContext { context in
            let target = try GLFramebuffer(
                width: 2 * Self.width, height: Self.height, context: context)
            let renderer = VideoRenderer(context: context, conversion: .gpu)
            let (paused, playing) = (
                StillSource(Self.bar(2, .topFieldFirst)), StillSource(Self.bar(0, .topFieldFirst))
            )
            var counts: [Int] = []
            for field in 2..<40 {
                let time = Int64(20 * field)
                let number = field / 2 % 2
                if field % 2 == 0 {
                    playing.show(
                        Self.bar(number, .topFieldFirst),
                        at: MediaTime(value: time, timescale: 1000))
                }
                let shown = Self.draw(
                    [(paused, .adaptive), (playing, .adaptive)], at: time, renderer, into: target)
                #expect(Self.white(shown[0], row: 9) == Array(44..<52), "field \(field)")
                let left = 4 + 8 * (2 * number + field % 2)
                #expect(Self.white(shown[1], row: 9) == Array(left..<left + 8), "field \(field)")
                counts.append(context.deletionQueue.liveCount(.texture))
            }
            #expect(counts.last == counts[8], "\(counts)")
            renderer.trim()
            #expect(context.deletionQueue.liveCount(.texture) < counts[8])
        }
    }

    @Test func `each of many videos shows its own frame`() throws {
        try GraphicsTest.withContext { context in
            let lumas = (0..<9).map { UInt8(20 + 20 * $0) }
            let sources = lumas.map { luma in
                StillSource(Self.frame(.topFieldFirst) { _, _, _ in luma })
            }
            let target = try GLFramebuffer(
                width: sources.count * Self.width, height: Self.height, context: context)
            let renderer = VideoRenderer(context: context, conversion: .gpu)
            for time in [0, 20, 40] as [Int64] {
                let shown = Self.draw(
                    sources.map { ($0, .adaptive) }, at: time, renderer, into: target)
                for (image, luma) in zip(shown, lumas) {
                    #expect(abs(Int(image[32, 16].x) - Int(luma)) <= 1, "at \(time)")
                }
            }
        }
    }

    @Test func `nothing is drawn again between two fields`() throws {
        let shown = try Self.draw(
            [Self.bar(0, .topFieldFirst)], at: [0, 5, 10, 21, 30, 39], .bob)
        #expect(shown.map(\.wasDrawn) == [true, false, false, true, false, false])
    }
}
