// SPDX-License-Identifier: Apache-2.0

import CompositionTestSupport
import Foundation
import MediaTestSupport
import PlayheadEditing
import PlayheadUI

/// A compositor of one's own during random playback, seeks, changes of the rate, exchanges of the
/// composition and removals of the item.
struct RandomRequests {
    private static let trackCount = 3
    /// The number of actions after which another item plays.
    private static let itemLimit = 100
    private var random: SplitMix64
    private let counts = RequestCounts()

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Performs actions, and reports what the compositor received. On a slow machine fewer pictures
    /// are drawn between two actions, so there are more actions.
    mutating func run(count: Int, _ report: inout Report) async throws {
        var performed = 0
        let (requests, exchanges) = (count / 2, count / 50)
        while counts.faults.isEmpty, performed < count * 4,
            performed < count || counts.started < requests || counts.exchanged <= exchanges
        {
            Progress.show("action \(performed) of \(count)")
            performed += try await runItem(count: min(Self.itemLimit, count))
        }
        let deadline = HostClock.nanoseconds + 20_000_000_000
        while !counts.areAllEnded, HostClock.nanoseconds < deadline { usleep(1000) }
        report.add("random actions", performed)
        report.add("requests of the compositor", counts.started)
        report.add("frames of tracks in them", counts.frames)
        for fault in counts.faults.prefix(5) { report.require(false, fault) }
        report.require(counts.areAllEnded, "requests were not ended")
        report.require(counts.started >= requests, "the compositor received too few requests")
        report.require(counts.exchanged > exchanges, "there were too few exchanges")
    }

    private mutating func runItem(count: Int) async throws -> Int {
        var made = try RandomComposition(
            &random, trackCount: Self.trackCount, seconds: 2, rate: 25)
        made.addRandomInstructions(&random)
        let asset = made.composition.makeAsset()
        let clock = ManualClock()
        let item = PlayerItem(asset: asset)
        item.videoComposition = rules(made)
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        try await item.waitUntilReady()
        let end = made.composition.duration.seconds
        for _ in 0..<count {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                let distance = Int64.random(in: 1...60, using: &random)
                clock.advance(to: clock.time + MediaTime(value: distance, timescale: 1000))
                let time = output.itemTime(forHostTime: clock.time)
                _ = output.copyPixelBuffer(forItemTime: time)
                usleep(UInt32.random(in: 0...1500, using: &random))
            case 5:
                seek(item, to: Double.random(in: 0..<end, using: &random))
            case 6:
                await item.seek(
                    to: MediaTime(
                        seconds: Double.random(in: 0..<end, using: &random),
                        preferredTimescale: 600), toleranceBefore: .zero, toleranceAfter: .zero)
            case 7, 8: player.rate = [0, 0.5, 1, 2, -1].randomElement(using: &random) ?? 1
            default:
                var other = made
                other.videoComposition.instructions = []
                other.addRandomInstructions(&random)
                item.videoComposition = rules(other)
                counts.noteExchange()
            }
        }
        // The item is released while it draws.
        return count
    }

    private mutating func seek(_ item: PlayerItem, to seconds: Double) {
        let tolerance = MediaTime(value: Int64.random(in: 0...1, using: &random), timescale: 4)
        item.seek(
            to: MediaTime(seconds: seconds, preferredTimescale: 600), toleranceBefore: tolerance,
            toleranceAfter: tolerance
        ) { _ in }
    }

    private func rules(_ made: RandomComposition) -> VideoComposition {
        var rules = made.videoComposition
        rules.makeCompositor = { [counts] in RecordingCompositor(made, counts) }
        return rules
    }
}

/// The requests that the compositors of a proof received, and the faults in them.
///
/// - Concurrency: any thread.
private final class RequestCounts: @unchecked Sendable {
    // Unchecked: everything is read and written with the lock held.

    private let lock = NSLock()
    private var state = (started: 0, ended: 0, frames: 0, exchanged: 0, faults: [String]())

    var started: Int { lock.withLock { state.started } }
    var frames: Int { lock.withLock { state.frames } }
    var exchanged: Int { lock.withLock { state.exchanged } }
    var faults: [String] { lock.withLock { state.faults } }
    var areAllEnded: Bool { lock.withLock { state.started == state.ended } }

    func noteStart() { lock.withLock { state.started += 1 } }
    func noteFrame() { lock.withLock { state.frames += 1 } }
    func noteEnd() { lock.withLock { state.ended += 1 } }
    func noteExchange() { lock.withLock { state.exchanged += 1 } }

    func require(_ holds: Bool, _ fault: @autoclosure () -> String) {
        guard !holds else { return }
        lock.withLock { if state.faults.count < 20 { state.faults.append(fault()) } }
    }
}

/// A compositor that checks the order and the content of its requests, and ends them on another
/// thread.
private final class RecordingCompositor: VideoCompositing, @unchecked Sendable {
    // Unchecked: the state is read and written with the lock held.

    private let made: RandomComposition
    private let counts: RequestCounts
    private let queue = DispatchQueue(label: "compositor")
    private let lock = NSLock()
    private var context: VideoCompositionRenderContext?
    private var hint: VideoCompositionRenderHint?
    private var lastEnd: MediaTime?
    private var isBusy = false

    init(_ made: RandomComposition, _ counts: RequestCounts) {
        self.made = made
        self.counts = counts
    }

    func renderContextChanged(_ context: VideoCompositionRenderContext) {
        lock.withLock {
            counts.require(self.context == nil, "the context was set twice")
            self.context = context
        }
    }

    func anticipateRendering(_ hint: VideoCompositionRenderHint) {
        lock.withLock { self.hint = hint }
    }

    func startRequest(_ request: VideoCompositionRequest) {
        counts.noteStart()
        let time = request.compositionTime
        lock.withLock {
            counts.require(context != nil, "a request at \(time) came before the context")
            counts.require(!isBusy, "a request at \(time) came before the end of another one")
            counts.require(
                hint?.startTime == time, "a request at \(time) was not anticipated")
            // Without a seek, a picture begins where the one before it ends.
            if let hint, hint.endTime > hint.startTime {
                counts.require(
                    lastEnd == nil || lastEnd == time,
                    "a request at \(time) follows one that ends at \(String(describing: lastEnd))")
                lastEnd = hint.endTime
            } else {
                lastEnd = nil
            }
            hint = nil
            isBusy = true
        }
        counts.require(
            request.instruction.timeRange.contains(time),
            "the request at \(time) has the instruction of \(request.instruction.timeRange)")
        queue.async { [self] in finish(request) }
    }

    private func finish(_ request: VideoCompositionRequest) {
        let time = request.compositionTime
        for id in request.instruction.requiredSourceTrackIDs {
            let found = request.sourceFrame(byTrackID: id).flatMap {
                FrameNumberStrip.read(from: $0)
            }
            let expected = made.number(of: id, at: time)
            counts.require(
                found == expected,
                "track \(id) at \(time): found frame \(String(describing: found)), expected "
                    + String(describing: expected))
            counts.noteFrame()
        }
        let context = lock.withLock {
            isBusy = false
            return self.context
        }
        counts.noteEnd()
        guard let context else { return request.finishCancelledRequest() }
        request.finish(
            with: context.makePixelBuffer { bytes, _ in
                _ = bytes.initializeMemory(as: UInt8.self, repeating: 128)
            })
    }
}
