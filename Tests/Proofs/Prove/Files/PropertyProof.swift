// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlaybackTestSupport
import PlayheadThreads

/// `prove property`: random histories of everything that can be done to a player, on random films,
/// after each event of which the engine has to answer like a model that has neither threads nor
/// queues.
///
/// Histories run beside each other, more of them than there are processors, since each waits for its
/// threads most of the time. A failure is shrunk to the fewest events that show it.
struct PropertyProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "property",
        abstract: "The engine answers like a small model of it after any history.")

    @Flag(help: "60,000 events instead of 1,000,000.")
    var short = false

    @Option(help: "How many events.")
    var events: Int?

    @Option(help: "The first seed; one for each history of \(RandomHistory.length) events.")
    var seed: UInt64 = 1

    @Option(help: "How many histories run beside each other.")
    var jobs = 2 * ProcessInfo.processInfo.activeProcessorCount

    private struct State {
        var next: UInt64
        var running: Int
        var events = 0
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
        report.add("events", sum.events)
        report.add("seeds", "\(seed) to \(end - 1), a history of a film each")
        report.add("differences", sum.failures.count)
        report.add("seconds", String(format: "%.0f", Date().timeIntervalSince(start)))
        for failure in sum.failures { report.require(false, failure) }
        try report.finish()
    }

    /// Runs histories until there are no more, or enough have failed.
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
            let failure = history.firstFailure().map { history.report($0) }
            state.change { state in
                state.events += RandomHistory.length
                if let failure { state.failures.append(failure) }
            }
        }
    }
}
