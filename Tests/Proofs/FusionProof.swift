// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Playhead

/// `prove fusion`: five effects that look at their own pixel only cost at most 1.3 times what one
/// costs.
///
/// Draws a picture through one, through five as they are drawn in a layer, and through five one after
/// another, in turns, and compares the shortest times: what others do on the machine only adds.
struct FusionProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fusion", abstract: "Five effects drawn as one, against one.")

    @Flag(help: "Fewer rounds.")
    var short = false

    private static let width = 1280
    private static let height = 720
    /// Five of the kind that people put after each other.
    private static let names = ["contrast", "vignette", "contrast", "vignette", "contrast"]

    func run() throws {
        let context = try HeadlessContext()
        let pool = FramebufferPool(context: context)
        let renderer = EffectRenderer(
            context: context, painter: PicturePainter(context: context), pool: pool,
            images: TextureCache(context: context))
        let input = try GLFramebuffer(
            width: Self.width, height: Self.height, context: context)
        let effects = try Self.names.map { EffectInstance(try EffectLibrary.effect(named: $0)) }
        func seconds(_ instances: ArraySlice<EffectInstance>, fused: Bool) -> Double {
            let start = HostClock.nanoseconds
            var texture = input.texture
            var rest = instances
            var last: GLFramebuffer?
            renderer.fusesChains = fused
            while let first = rest.first {
                let count = renderer.fusibleCount(of: rest)
                let output =
                    count > 1
                    ? renderer.draw(
                        fusing: rest.prefix(count), input: texture, width: Self.width,
                        height: Self.height, time: EffectTime(seconds: 1))
                    : renderer.draw(
                        first, input: texture, width: Self.width, height: Self.height,
                        time: EffectTime(seconds: 1))
                rest = rest.dropFirst(count)
                if let last { pool.release(last) }
                last = output?.framebuffer
                if let output { texture = output.framebuffer.texture }
            }
            GLState.finish()
            if let last { pool.release(last) }
            return Double(HostClock.nanoseconds - start) / 1e9
        }
        var (one, fused, apart) = (Double.infinity, Double.infinity, Double.infinity)
        for _ in 0..<(short ? 20 : 200) {
            GLState.beginFrame()
            one = min(one, seconds(effects.prefix(1), fused: true))
            fused = min(fused, seconds(effects[...], fused: true))
            apart = min(apart, seconds(effects[...], fused: false))
        }
        var report = Report("fusion")
        report.add("renderer", context.capabilities.renderer)
        report.add("one effect", String(format: "%.2f ms at 1280 x 720", one * 1000))
        report.add("five as one", String(format: "%.2f ms, %.2f of one", fused * 1000, fused / one))
        report.add(
            "five, one by one", String(format: "%.2f ms, %.2f of one", apart * 1000, apart / one))
        report.require(renderer.takeErrors().isEmpty, "an effect does not compile")
        report.require(fused <= 1.3 * one, "five cost \(fused / one) times one")
        try report.finish()
    }
}
