// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlaybackTestSupport
import PlayheadThreads

/// `prove property`: random histories of all operations on a player, with random videos: one video
/// track, perhaps damaged; several video and audio tracks; and packets that arrive late. After each
/// event the engine must give the same answers as a model that has neither threads nor queues.
///
/// Histories run in parallel, more of them than there are processors, since each waits for its
/// threads most of the time. A failing history is shrunk to the fewest events that still fail.
struct PropertyProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "property",
        abstract: "The engine agrees with a small model of it after any history.")

    @Flag(help: "60,000 events instead of 1,000,000.")
    var short = false

    @Option(help: "The number of events.")
    var events: Int?

    @Option(help: "The first seed; one for each history of \(RandomHistory.length) events.")
    var seed: UInt64 = 1

    @Option(help: "The number of histories that run in parallel.")
    var jobs = 2 * ProcessInfo.processInfo.activeProcessorCount

    private struct State {
        var next: UInt64
        var running: Int
        var tally = PlaybackTally()
        var failures: [String] = []
    }

    private static let failureLimit = 3

    func run() throws {
        var report = Report("property")
        let wanted = events ?? (short ? 60_000 : 1_000_000)
        let count = UInt64((wanted + RandomHistory.length - 1) / RandomHistory.length)
        let start = Date()
        let end = seed + count
        let jobs = max(1, jobs)
        let state = Monitor(State(next: seed, running: jobs))
        for _ in 0..<jobs {
            _ = WorkerThread(name: "prove-property") { Self.work(state, until: end) }
        }
        let sum = state.wait { $0.running == 0 ? $0 : nil }
        let tally = sum.tally
        report.add("events", tally.events)
        report.add("stalls", tally.stalls)
        report.add("repetitions of a loop", tally.rounds)
        report.add("declared starts", tally.declaredStarts)
        report.add("track switches", tally.trackSwitches)
        report.add("frames by number", tally.frames)
        report.add("samples by number", tally.samples)
        report.add("seeds", "\(seed) to \(end - 1), one history of a video each")
        report.add("differences", sum.failures.count)
        let seconds = Date().timeIntervalSince(start)
        report.add("seconds", String(format: "%.0f", seconds))
        report.add("events a second", String(format: "%.0f", Double(tally.events) / seconds))
        for failure in sum.failures { report.require(false, failure) }
        try report.finish()
    }

    /// Runs histories until none is left, or enough have failed.
    private static func work(_ state: Monitor<State>, until end: UInt64) {
        while true {
            let seed = state.change { state -> UInt64? in
                guard state.next < end, state.failures.count < failureLimit else {
                    state.running -= 1
                    return nil
                }
                defer { state.next += 1 }
                return state.next
            }
            guard let seed else { return }
            if seed.isMultiple(of: 100) { Progress.show("seed \(seed) of \(end - 1)") }
            let history = RandomHistory(seed: seed)
            var tally = PlaybackTally()
            let failure = history.firstFailure(adding: &tally).map { history.report($0) }
            state.change { state in
                state.tally += tally
                if let failure { state.failures.append(failure) }
            }
        }
    }
}
