// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CompositionTestSupport
import Foundation
import MediaTestSupport

/// `prove composition-edits`: random edits of compositions. After each edit the segments must equal
/// a model that stores, for each tick of a track, the content that plays. A composition that is
/// edited while it plays must show and play exactly its frames and samples.
struct CompositionEditsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "composition-edits",
        abstract: "Edits of compositions are exact, and failed ones leave no trace.")

    @Flag(help: "10,000 edits instead of 100,000, and 100 while playing instead of 1,000.")
    var short = false

    @Option(help: "The number of edits.")
    var edits: Int?

    @Option(help: "The number of edits while playing.")
    var playing: Int?

    @Option(help: "The first seed; one for each history of \(Self.length) edits.")
    var seed: UInt64 = 1

    /// The number of edits in a history.
    private static let length = 500

    func run() throws {
        var report = Report("composition-edits")
        let histories = ((edits ?? (short ? 10_000 : 100_000)) + Self.length - 1) / Self.length
        var counts = EditHistory.Counts()
        var differences: [String] = []
        let start = Date()
        for index in 0..<histories where differences.count < 3 {
            Progress.show("history \(index + 1) of \(histories)")
            var history = EditHistory(seed: seed + UInt64(index))
            if let difference = history.firstDifference(edits: Self.length) {
                differences.append(difference)
            }
            counts.edits += history.counts.edits
            counts.refused += history.counts.refused
            counts.inexact += history.counts.inexact
        }
        report.add("edits", counts.edits)
        report.add("refused as invalid", counts.refused)
        report.add("refused because they need rounding", counts.inexact)
        report.add("differences", differences.count)
        report.add("seconds", String(format: "%.0f", Date().timeIntervalSince(start)))
        for difference in differences { report.require(false, difference) }
        report.require(counts.refused > 0 || histories == 0, "no invalid edit was tried")
        try measurePlaying(edits: playing ?? (short ? 100 : 1000), &report)
        try report.finish()
    }

    private func measurePlaying(edits: Int, _ report: inout Report) throws {
        guard edits > 0 else { return }
        guard ProcessRunner.has("ffmpeg") else { throw CannotProve("ffmpeg is not installed") }
        let start = Date()
        let live = try LiveEdits(seed: seed)
        try live.run(edits: edits)
        report.add("edits while playing", live.editCount)
        report.add(
            "comparisons of the frame, every 10 ms",
            "\(live.looks), \(live.black) without a frame, \(live.wrong) with another one")
        report.add("samples heard", "\(live.sampleCount), \(live.wrongSamples) wrong")
        let seconds = Date().timeIntervalSince(start)
        report.add("seconds, while playing", String(format: "%.0f", seconds))
        report.require(live.editCount == edits, "edits were not taken over")
        report.require(
            live.black == 0 && live.wrong == 0, "a frame was black, repeated or another one")
        // Each comparison moves the clock by 480 samples; the device holds a few blocks.
        report.require(
            live.wrongSamples == 0 && live.sampleCount > (live.looks - 100) * 480,
            "samples were missing or wrong: a click")
    }
}
