// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `playhead effect bench FX`: measures the cost of an effect.
struct EffectBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure the time that an effect takes per frame.",
        discussion: """
            Applies the effect to a frame of noise repeatedly, without a display. Prints the \
            median time per frame, and the median time of each pass as measured by the GPU.

            EXAMPLES:
              playhead effect bench bloom
              playhead effect bench glow.fs --size 3840x2160 --set radius=20
            """)

    @Argument(
        help: "Built-in name, or path of an effect file.", completion: .effect)
    var effect: String

    @OptionGroup var options: EffectValueOptions

    @Option(
        help: ArgumentHelp(
            "Size of the frame; both 1920x1080 and 3840x2160 by default.",
            valueName: "WxH"),
        transform: SizeArgument.init(argument:))
    var size: SizeArgument?

    @Option(help: "Number of frames to measure.")
    var frames: Int = 60

    @Flag(help: "Print JSON.")
    var json = false

    private struct Result: Encodable {
        let effect: String
        let renderer: String
        let width: Int
        let height: Int
        /// The time for a frame, in milliseconds.
        let frame: Double
        let passes: [Double]
    }

    func validate() throws {
        guard (1...100_000).contains(frames) else {
            throw ValidationError("--frames \(frames): expected 1 to 100000")
        }
    }

    func run() throws {
        let instance = EffectInstance(
            try EffectLibrary.load(effect, format: options.format?.format))
        try options.assign(to: [instance])
        let context = try HeadlessContext()
        defer { context.clearCurrent() }
        let sizes = size.map { [($0.width, $0.height)] } ?? [(1920, 1080), (3840, 2160)]
        var results: [Result] = []
        for (width, height) in sizes {
            results.append(try measure(instance, width, height, in: context))
        }
        if json {
            Console.print(try Console.json(results, pretty: true))
            return
        }
        Console.print("\(instance.effect.name) on \(context.capabilities.renderer)")
        for result in results {
            Console.print(
                String(
                    format: "%dx%d: %.2f ms a frame", result.width, result.height, result.frame))
            for (index, pass) in result.passes.enumerated() where result.passes.count > 1 {
                let name = instance.effect.passes[index].target ?? "output"
                Console.print("  pass \(index), \(name): " + String(format: "%.2f ms", pass))
            }
        }
    }

    private func measure(
        _ instance: EffectInstance, _ width: Int, _ height: Int, in context: HeadlessContext
    ) throws -> Result {
        let pool = FramebufferPool(context: context)
        let renderer = EffectRenderer(
            context: context, painter: PicturePainter(context: context), pool: pool,
            images: TextureCache(context: context))
        renderer.measuresPasses = true
        GLState.beginFrame(isExclusive: true)
        let input = try GLTexture(
            format: .rgba8, width: width, height: height, context: context)
        // Knuth's multiplicative hash gives neighbouring pixels different colours.
        let pixels = (0..<UInt32(width * height)).map { $0 &* 2_654_435_761 }
        pixels.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { input.upload(start, bytesPerRow: width * 4) }
        }
        var spent: [Double] = []
        var passes: [[Int64]] = []
        // The first frames include compiling the shaders, so they are not counted.
        for frame in -3..<frames {
            let start = HostClock.nanoseconds
            let output = renderer.draw(
                instance, input: input,
                transition: instance.effect.kind == .transition
                    ? (input, Float(max(0, frame)) / Float(frames)) : nil, width: width,
                height: height, time: EffectTime(seconds: Double(frame + 3) / 30))
            guard let output else {
                throw ToolError(
                    renderer.takeErrors().first ?? instance.error
                        ?? EffectError.notFound(name: effect, builtIn: []))
            }
            GLState.finish()
            pool.release(output.framebuffer)
            guard frame >= 0 else { continue }
            spent.append(Double(HostClock.nanoseconds - start) / 1e6)
            passes.append(instance.passNanoseconds)
        }
        let counts = instance.effect.passes.indices.map { pass in
            Self.median(passes.compactMap { $0.indices.contains(pass) ? Double($0[pass]) : nil })
                / 1e6
        }
        return Result(
            effect: instance.effect.name, renderer: context.capabilities.renderer, width: width,
            height: height, frame: Self.median(spent), passes: counts)
    }

    private static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }
}
