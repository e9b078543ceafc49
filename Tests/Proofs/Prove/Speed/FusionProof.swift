// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `prove fusion`: five effects that read only their own pixel cost at most 1.3 times as much as
/// one.
///
/// Draws an image through each kind of them alone, through five as a layer draws them, and through
/// five one after another, alternately. Comparisons are medians of each turn's ratio, since the
/// load of the machine varies. The single effect is the cheapest of them. Then the same with all
/// the work of a video frame: its conversion, and drawing the layer.
struct FusionProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fusion", abstract: "Five effects drawn as one, compared with one.")

    @Flag(help: "Runs fewer rounds.")
    var short = false

    private static let width = 1280
    private static let height = 720
    /// Five of the kind that users combine.
    private static let names = ["contrast", "vignette", "contrast", "vignette", "contrast"]

    /// The durations of something in each turn, in seconds.
    private struct Turns {
        var seconds: [Double] = []

        mutating func time(_ body: () -> Void) {
            let start = HostClock.nanoseconds
            body()
            GLState.finish()
            seconds.append(Double(HostClock.nanoseconds - start) / 1e9)
        }

        func ratio(to one: Turns) -> Double {
            Self.median(zip(seconds, one.seconds).map { $0 / $1 })
        }

        var text: String { String(format: "%.2f ms", Self.median(seconds) * 1000) }

        func text(beside one: Turns) -> String {
            String(format: "\(text), %.2f of one", ratio(to: one))
        }

        private static func median(_ values: [Double]) -> Double {
            values.sorted()[values.count / 2]
        }
    }

    func run() throws {
        let context = try HeadlessContext()
        var report = Report("fusion")
        report.add("renderer", context.capabilities.renderer)
        let (one, fused) = try passes(context, &report)
        try frames(context, &report)
        report.require(
            fused.ratio(to: one) <= 1.3, "five cost \(fused.ratio(to: one)) times one")
        try report.finish()
    }

    private static func instance(_ name: String) throws -> EffectInstance {
        EffectInstance(try EffectLibrary.effect(named: name))
    }

    private static func instances(_ count: Int) throws -> [EffectInstance] {
        try names.prefix(count).map(instance)
    }

    /// Measures the passes alone.
    private func passes(
        _ context: HeadlessContext, _ report: inout Report
    ) throws -> (one: Turns, fused: Turns) {
        let pool = FramebufferPool(context: context)
        let renderer = EffectRenderer(
            context: context, painter: PicturePainter(context: context), pool: pool,
            images: TextureCache(context: context))
        let input = try GLFramebuffer(width: Self.width, height: Self.height, context: context)
        func draw(_ instances: [EffectInstance], fused: Bool) {
            var texture = input.texture
            var rest = instances[...]
            var last: GLFramebuffer?
            while let first = rest.first {
                let count = renderer.fusibleCount(of: rest)
                let output =
                    fused && count > 1
                    ? renderer.draw(
                        fusing: rest.prefix(count), input: texture, width: Self.width,
                        height: Self.height, time: EffectTime(seconds: 1))
                    : renderer.draw(
                        first, input: texture, width: Self.width, height: Self.height,
                        time: EffectTime(seconds: 1),
                        before: count > 1 ? rest.dropFirst().first : nil)
                rest = rest.dropFirst(fused ? count : 1)
                if let last { pool.release(last) }
                last = output?.framebuffer
                if let output { texture = output.framebuffer.texture }
            }
            if let last { pool.release(last) }
        }
        let (contrast, vignette) = (try Self.instance("contrast"), try Self.instance("vignette"))
        let (five, changed) = (try Self.instances(5), try Self.instances(5))
        var (one, other) = (Turns(), Turns())
        var (fused, moved, apart) = (Turns(), Turns(), Turns())
        let rounds = short ? 40 : 400
        for round in 0..<rounds {
            GLState.beginFrame()
            one.time { draw([contrast], fused: true) }
            other.time { draw([vignette], fused: true) }
            fused.time { draw(five, fused: true) }
            // As if a user moved a slider.
            try changed[0].set(.float(1.2 + Float(round) / 1000), for: "contrast")
            moved.time { draw(changed, fused: true) }
            apart.time { draw(five, fused: false) }
        }
        report.require(renderer.takeErrors().isEmpty, "an effect does not compile")
        report.add("one effect", "\(one.text) at \(Self.width) x \(Self.height)")
        report.add("the other kind", other.text(beside: one))
        report.add("five as one", fused.text(beside: one))
        report.add("five as one, with changing values", moved.text(beside: one))
        report.add("five, one by one", apart.text(beside: one))
        return (one, fused)
    }

    /// Measures frames of a video, including effects.
    private func frames(_ context: HeadlessContext, _ report: inout Report) throws {
        let renderer = VideoRenderer(context: context)
        let target = try GLFramebuffer(width: Self.width, height: Self.height, context: context)
        // Two different frames in turn, since an unchanged frame is not drawn again.
        let pictures = (0..<2).map { index in
            PixelBuffer(
                format: .yuv420p, width: Self.width, height: Self.height,
                attachments: PixelBufferAttachments(
                    color: ColorAttachments(matrix: .bt709, range: .limited, chromaLocation: .left))
            ) { plane, bytes, bytesPerRow in
                let shift = plane == 0 ? 0 : 1
                for y in 0..<Self.height >> shift {
                    for x in 0..<Self.width >> shift {
                        bytes[y * bytesPerRow + x] = UInt8((x + 2 * y + 60 * index) % 219 + 16)
                    }
                }
            }
        }
        let chains = try [0, 1, 5].map { try Self.instances($0) }
        var times = [Turns](repeating: Turns(), count: chains.count)
        for round in 0..<(short ? 20 : 200) {
            for (index, effects) in chains.enumerated() {
                let scene = Scene(
                    layers: [Layer(.image(pictures[round % 2]), effects: effects)])
                times[index].time {
                    _ = renderer.render(scene, hostTime: .zero, into: RenderTarget(target))
                }
            }
        }
        report.add("a video frame, no effect", times[0].text(beside: times[1]))
        report.add("a video frame, one effect", times[1].text)
        report.add("a video frame, five effects", times[2].text(beside: times[1]))
    }
}
