// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadThreads
import PlayheadUI

/// `prove render-cost`: the cost of a frame to the render thread in steady playback.
///
/// A video in memory, with different pixels in every frame, is drawn into a framebuffer at full
/// size, first by shaders and then by the processor; then a thousand pieces of it. Allocations are
/// those of the program and of Swift's runtime on this thread, not the driver's; OpenGL calls are
/// counted by name. Both are counted by libraries that the script preloads.
struct RenderCostProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render-cost",
        abstract: "Allocations and OpenGL calls in a frame of steady playback.")

    @Flag(help: "Draws a tenth of the frames.")
    var short = false

    private static let warmUpFrames = 10
    /// The limit for one video, including its uploads.
    private static let callLimit = 30.0
    /// The limit for a thousand layers that share one frame.
    private static let manyCallLimit = 60.0
    /// Returns whether a call makes a driver wait, or takes too long for a frame.
    private static func isForbidden(_ name: String) -> Bool {
        // The reset status of the GPU is not a state that drawing must wait for, and it is queried
        // every 16th frame.
        name.hasPrefix("glGet") && name != "glGetGraphicsResetStatus" || name.hasPrefix("glCompile")
            || name.hasPrefix("glLink")
            || name.hasPrefix("glReadPixels") || name == "glFinish"
            || name.hasPrefix("glCheckFramebuffer")
    }

    func run() throws {
        let counters = try RenderCounters()
        let context = try HeadlessContext()
        try context.makeCurrent()
        defer { context.clearCurrent() }
        var report = Report("render-cost")
        let film = MemoryFilm(width: 1280, height: 720, frameCount: 8)
        let one = Scene(layers: [Layer(.video(film))])
        for conversion in PictureConversion.allCases {
            try measure(
                "one video, \(conversion.rawValue)", one, film, conversion, limit: Self.callLimit,
                context, counters, &report)
        }
        let pieces = (0..<1000).map { piece in
            let (x, y) = (Double(piece % 40) / 40, Double(piece / 40) / 25)
            return Layer(
                .video(film),
                frame: .fraction(
                    LayerRect(x: 0.975 - x, y: 0.96 - y, width: 0.025, height: 0.04)),
                contentsRect: LayerRect(x: x, y: y, width: 0.025, height: 0.04))
        }
        for conversion in PictureConversion.allCases {
            try measure(
                "1,000 layers, \(conversion.rawValue)", Scene(layers: pieces), film, conversion,
                limit: Self.manyCallLimit, context, counters, &report)
        }
        try report.finish()
    }

    private func measure(
        _ name: String, _ scene: Scene, _ film: MemoryFilm, _ conversion: PictureConversion,
        limit: Double, _ context: HeadlessContext, _ counters: RenderCounters,
        _ report: inout Report
    ) throws {
        let renderer = VideoRenderer(context: context, conversion: conversion)
        let target = RenderTarget(
            try GLFramebuffer(width: 1280, height: 720, context: context))
        var hasProblems = false
        func draw(_ frame: Int) {
            film.index = frame
            let time = MediaTime(value: Int64(frame), timescale: 60)
            let drawn = renderer.render(scene, hostTime: time, into: target, redraw: .ifChanged)
            hasProblems = hasProblems || !drawn.problems.isEmpty
        }
        for frame in 0..<Self.warmUpFrames { draw(frame) }
        counters.countCalls()
        for frame in 0..<Self.warmUpFrames { draw(frame) }
        let (calls, allocations) = (counters.calls, counters.allocations())
        let frames = short ? 60 : 600
        let start = HostClock.nanoseconds
        for frame in 0..<frames { draw(frame) }
        let duration = HostClock.nanoseconds - start
        let allocated = counters.allocations() - allocations
        GLState.finish()
        let made = counters.calls.map { name, count in
            // The last call is the proof's own.
            let own = name == "glFinish" ? 1 : 0
            return (name, Double(count - (calls[name] ?? 0) - UInt64(own)) / Double(frames))
        }.filter { $0.1 > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
        let sum = made.reduce(0) { $0 + $1.1 }
        report.add(
            name,
            String(
                format: "%.1f OpenGL calls and %.2f allocations a frame, %.2f ms, %d frames",
                sum, Double(allocated) / Double(frames), Double(duration) / 1e6 / Double(frames),
                frames))
        report.add(
            "", made.map { "\($0.0) \(String(format: "%g", $0.1))" }.joined(separator: ", "))
        report.require(allocated == 0, "\(name): \(allocated) allocations in \(frames) frames")
        report.require(sum < limit, "\(name): \(sum) OpenGL calls a frame")
        // Different pixels every time: they are uploaded, and something is drawn.
        for kinds in [["glTexSubImage2D"], ["glDraw", "glBlitFramebuffer"]] {
            let count = made.reduce(0) { sum, call in
                sum + (kinds.contains { call.0.hasPrefix($0) } ? call.1 : 0)
            }
            report.require(count >= 1, "\(name): \(kinds) are called \(count) times a frame")
        }
        report.require(!hasProblems, "\(name): the renderer reports problems")
        for (call, count) in made where Self.isForbidden(call) {
            report.require(false, "\(name): \(call) is called \(count) times a frame")
        }
    }
}

/// Counters that `Scripts/prove/render-cost` preloads.
private struct RenderCounters {
    /// Returns the number of allocations of the program on this thread.
    let allocations: @convention(c) () -> UInt64
    private let count: @convention(c) () -> Void
    private let call: @convention(c) (Int32, UnsafeMutablePointer<UInt64>) -> UnsafePointer<CChar>?

    init() throws {
        guard let allocations = dlsym(nil, "playhead_own_allocation_count"),
            let count = dlsym(nil, "playhead_gl_count_calls"),
            let call = dlsym(nil, "playhead_gl_call")
        else {
            throw CannotProve("render-cost: nothing is counted; run Scripts/prove/render-cost")
        }
        self.allocations = unsafeBitCast(
            allocations, to: (@convention(c) () -> UInt64).self)
        self.count = unsafeBitCast(count, to: (@convention(c) () -> Void).self)
        self.call = unsafeBitCast(
            call,
            to: (@convention(c) (Int32, UnsafeMutablePointer<UInt64>) -> UnsafePointer<CChar>?)
                .self)
    }

    /// Starts counting calls.
    func countCalls() { count() }

    /// The calls so far, by name.
    var calls: [String: UInt64] {
        var calls: [String: UInt64] = [:]
        var (index, value) = (Int32(0), UInt64(0))
        while let name = call(index, &value) {
            calls[String(cString: name)] = value
            index += 1
        }
        return calls
    }
}

/// A video that is all in memory: its frames follow each other in a loop, each with different
/// pixels.
///
/// - Concurrency: one thread, the one of the proof's loop.
private final class MemoryFilm: PixelBufferSource, @unchecked Sendable {
    // Unchecked: used only on the proof's single thread.
    private let pictures: [PixelBuffer]
    /// The number of the frame.
    var index = 0 {
        didSet { isNew = true }
    }
    private var isNew = true

    init(width: Int, height: Int, frameCount: Int) {
        pictures = (0..<frameCount).map { frame in
            PixelBuffer(format: .yuv420p, width: width, height: height) { plane, bytes, _ in
                for index in bytes.indices {
                    bytes[index] = UInt8(truncatingIfNeeded: 64 + (index >> 4) % 128 + frame * 3)
                }
            }
        }
    }

    func itemTime(forHostTime hostTime: MediaTime) -> MediaTime { hostTime }
    func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool { isNew }
    func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? {
        isNew = false
        return (pictures[index % pictures.count], itemTime)
    }
}
