// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `prove pull-cost`: the cost to a render thread of asking an output for a frame at every vsync.
///
/// A synthetic video plays on a manual clock that advances vsync by vsync at 60 Hz. At each vsync
/// the renderer's loop runs: item time, `hasNewPixelBuffer`, `copyPixelBuffer`. Only the calls are
/// timed, between two steps of the clock, many times over. Allocations are those of the calling
/// thread, counted by a `malloc` that the script preloads.
struct PullCostProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull-cost", abstract: "The time and allocations of asking for a frame.")

    @Flag(help: "Runs a tenth of the calls.")
    var short = false

    /// A longer call would be noticeable on a render thread that asks for a hundred layers.
    private static let nanosecondLimit = 1000.0
    private static let callsAtVsync = 200
    private static let warmUpVsyncs = 10

    /// The cost of one kind of call.
    private struct Cost {
        var nanoseconds: Int64 = 0
        var allocations: UInt64 = 0
        var calls = 0

        var perCall: Double { Double(nanoseconds) / Double(max(calls, 1)) }
        var allocationsPerCall: Double { Double(allocations) / Double(max(calls, 1)) }
    }

    func run() throws {
        guard let counter = Self.allocationCounter() else {
            throw CannotProve("pull-cost: allocations are not counted; run Scripts/prove/pull-cost")
        }
        let film = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: 120, timescale: 1)), sounds: [])
        let (clock, output) = (ManualClock(), PlayerItemVideoOutput())
        let item = PlayerItem(asset: SyntheticAsset(film))
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        player.play()
        let deadline = HostClock.nanoseconds + 30_000_000_000
        while player.timeControlStatus != .playing {
            guard HostClock.nanoseconds < deadline else {
                throw CannotProve("pull-cost: playback does not start")
            }
            usleep(1000)
        }
        var wrong = 0
        let before = Machine.usage
        var (asking, copying) = (Cost(), Cost())
        for vsync in 0..<(short ? 200 : 2000) {
            // The very first calls let the runtime build its tables of types.
            if vsync == Self.warmUpVsyncs { (asking, copying) = (Cost(), Cost()) }
            clock.advance(to: MediaTime(value: Int64(vsync), timescale: 60))
            _ = output.waitForPixelBuffer(after: item.currentTime)
            let time = output.itemTime(forHostTime: clock.time)
            measure(&asking, counter) { _ = output.hasNewPixelBuffer(forItemTime: time) }
            // There is a frame for every two vsyncs, which is new at the first of them.
            if vsync % 2 == 0, !output.hasNewPixelBuffer(forItemTime: time) { wrong += 1 }
            var picture: PixelBuffer?
            measure(&copying, counter) { picture = output.copyPixelBuffer(forItemTime: time)?.0 }
            if picture.flatMap({ FrameNumberStrip.read(from: $0) }) != vsync / 2 { wrong += 1 }
        }
        var report = Report("pull-cost")
        report.add("others' share", Machine.others(since: before))
        report.require(wrong == 0, "\(wrong) answers were not those of their times")
        for (name, cost) in [("hasNewPixelBuffer", asking), ("copyPixelBuffer", copying)] {
            report.add(
                name,
                String(
                    format: "%.0f ns, %.3f allocations a call, %d calls", cost.perCall,
                    cost.allocationsPerCall, cost.calls))
            report.require(cost.allocations == 0, "\(name) allocates")
            report.require(
                cost.perCall < Self.nanosecondLimit, "\(name) takes \(cost.perCall) ns")
        }
        try report.finish()
    }

    private func measure(
        _ cost: inout Cost, _ counter: @convention(c) () -> UInt64, _ call: () -> Void
    ) {
        let allocations = counter()
        let start = HostClock.nanoseconds
        for _ in 0..<Self.callsAtVsync { call() }
        cost.nanoseconds += HostClock.nanoseconds - start
        cost.allocations += counter() - allocations
        cost.calls += Self.callsAtVsync
    }

    /// Returns the preloaded library's count of this thread's allocations.
    private static func allocationCounter() -> (@convention(c) () -> UInt64)? {
        guard let symbol = dlsym(nil, "playhead_allocation_count") else { return nil }
        return unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)
    }
}
