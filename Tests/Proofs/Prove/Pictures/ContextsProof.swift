// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// `prove contexts`: several contexts of one process, each drawing on a thread of its own, draw the
/// same frames as one alone, for any length of time.
///
/// Frames are small, so that there are many, and they vary: one to forty images, some of them new.
/// Drivers with problems between contexts (llvmpipe of Mesa 22.3, see `GLDriverLock`) crash or hang
/// within some 100,000 of them.
struct ContextsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contexts", abstract: "Several OpenGL contexts at once.")

    @Flag(help: "Runs for half a minute instead of five minutes.")
    var short = false

    private static let contextCount = 4
    private static let size = 16

    /// The result of one context.
    private struct Outcome {
        var frames = 0
        var read = 0
        var wrong = 0
        var failure: String?
    }

    func run() throws {
        var report = Report("contexts")
        let end = HostClock.nanoseconds + (short ? 30 : 300) * 1_000_000_000
        let outcomes = Monitor([Outcome]())
        let threads = (0..<Self.contextCount).map { number in
            WorkerThread(name: "contexts-\(number)") {
                var outcome = Outcome()
                do throws(GLError) {
                    try Self.draw(until: end, seed: UInt64(number), &outcome)
                } catch {
                    outcome.failure = error.description
                }
                outcomes.change { $0.append(outcome) }
            }
        }
        let all = outcomes.wait(nanoseconds: end - HostClock.nanoseconds + 60_000_000_000) {
            $0.count == threads.count ? $0 : nil
        }
        guard let all else {
            report.require(false, "a context hangs")
            try report.finish()
            return
        }
        let renderer = try HeadlessContext().capabilities
        report.add("renderer", "\(renderer.renderer), \(renderer.versionText)")
        report.add("frames", all.map { "\($0.frames)" }.joined(separator: ", "))
        report.add("read back", all.reduce(0) { $0 + $1.read })
        report.add("wrong", all.reduce(0) { $0 + $1.wrong })
        for outcome in all {
            report.require(outcome.read > 0, "a context drew nothing")
            report.require(outcome.wrong == 0, "\(outcome.wrong) frames differ from those drawn")
            report.require(outcome.failure == nil, outcome.failure ?? "")
        }
        try report.finish()
    }

    private static func draw(
        until end: Int64, seed: UInt64, _ outcome: inout Outcome
    ) throws(GLError) {
        let context = try HeadlessContext()
        let renderer = VideoRenderer(context: context, conversion: .gpu)
        let framebuffer = try GLFramebuffer(width: size, height: size, context: context)
        var random = SplitMix64(seed: seed)
        var pictures = (0..<40).map { picture(UInt8($0 * 6)) }
        while HostClock.nanoseconds < end {
            let count = Int.random(in: 1...pictures.count, using: &random)
            let new = Int.random(in: pictures.indices, using: &random)
            pictures[new] = picture(UInt8.random(in: 0...255, using: &random))
            // Each covers the one before: the last one is visible.
            let shown = (0..<count).map { _ in Int.random(in: pictures.indices, using: &random) }
            let layers = shown.map { Layer(.image(pictures[$0].picture), gravity: .resize) }
            _ = renderer.render(
                Scene(layers: layers), hostTime: .zero, into: RenderTarget(framebuffer))
            outcome.frames += 1
            if outcome.frames % 4 == 0 {
                let value = pictures[shown[count - 1]].value
                outcome.read += 1
                if framebuffer.image()[size / 2, size / 2] != [value, 255 - value, 0, 255] {
                    outcome.wrong += 1
                }
            } else {
                GLState.flush()
            }
        }
    }

    /// Returns an image of one colour, and its red value.
    private static func picture(_ value: UInt8) -> (picture: PixelBuffer, value: UInt8) {
        let picture = PixelBuffer(format: .rgba, width: 4, height: 4) { _, bytes, bytesPerRow in
            for y in 0..<4 {
                for x in 0..<4 {
                    bytes.storeBytes(
                        of: SIMD4(value, 255 - value, 0, 255),
                        toByteOffset: y * bytesPerRow + x * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
        return (picture, value)
    }
}
