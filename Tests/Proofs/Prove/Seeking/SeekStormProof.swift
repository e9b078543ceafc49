// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove seek-storm`: thousands of random seeks in videos of the collection, playing and paused, a
/// third of them while others are in progress, watched by a reader of the frames.
///
/// Requirements: every completion handler is called once. A seek lands inside its tolerances, and
/// an exact seek on the exact frame, by its time and its samples, compared with a reader that
/// decodes everything. Each frame seen while seeks are in progress is the one seen before, or
/// nearer to one of their targets.
struct SeekStormProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek-storm",
        abstract: "Random seeks land once each, inside their tolerances.")

    @Flag(help: "Runs 500 seeks instead of 10,000.")
    var short = false

    @Option(help: "The number of seeks, over all videos.")
    var seeks: Int?

    @Option(help: "The seed of the random numbers.")
    var seed: UInt64 = 1

    @Option(help: "Checks only videos whose path contains this text.")
    var only: String?

    private static let filmCount = 20

    func run() throws {
        guard Corpus.has("MANIFEST.jsonl") else {
            throw CannotProve("seek-storm: \(Corpus.absence)")
        }
        var report = Report("seek-storm")
        let films = try StormFilm.choose(Self.filmCount, only: only)
        let total = seeks ?? (short ? 500 : 10_000)
        var sum = SeekStorm.Outcome()
        for (index, film) in films.enumerated() {
            Progress.show("\(index + 1) of \(films.count): \(film.path)")
            var storm = SeekStorm(film, seed: seed &+ UInt64(index))
            let outcome = storm.run(seeks: total / max(1, films.count))
            for failure in outcome.failures.prefix(3) {
                report.require(false, "\(film.path): \(failure)")
            }
            sum += outcome
        }
        report.add("videos", "\(films.count), of \(Set(films.map(\.kind)).count) kinds")
        report.add("seeks", "\(sum.seeks), \(sum.overlapping) of them during others")
        report.add("completed", "\(sum.landed) true, \(sum.superseded) false")
        report.add("landings checked", "\(sum.exact) exact, \(sum.tolerant) within tolerances")
        report.add("frames seen", "\(sum.pictures), \(sum.onTheWay) of them on the way")
        report.require(films.count == Self.filmCount || only != nil, "too few videos")
        report.require(sum.seeks >= total * 9 / 10, "too few seeks")
        try report.finish()
    }
}
