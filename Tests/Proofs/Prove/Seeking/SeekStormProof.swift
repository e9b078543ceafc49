// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove seek-storm`: thousands of random seeks on films of the collection, playing and paused, a
/// third of them while others are under way, watched by a reader of the pictures.
///
/// What has to hold: every completion comes once; a seek lands inside its tolerances, an exact one on
/// the exact frame, by its time and by its samples, as a reader that decodes everything gives them; and
/// what is seen while seeks are under way is what was seen before, or nearer to one of their targets.
struct SeekStormProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek-storm",
        abstract: "Random seeks land once each, where they should, on films of the collection.")

    @Flag(help: "500 seeks instead of 10,000.")
    var short = false

    @Option(help: "How many seeks, over all films.")
    var seeks: Int?

    @Option(help: "Where the random numbers begin.")
    var seed: UInt64 = 1

    @Option(help: "Only films whose path contains this.")
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
        report.add("films", "\(films.count), of \(Set(films.map(\.kind)).count) kinds")
        report.add("seeks", "\(sum.seeks), \(sum.overlapping) of them while others were under way")
        report.add("completed", "\(sum.landed) true, \(sum.superseded) false")
        report.add("landings checked", "\(sum.exact) exact, \(sum.tolerant) within tolerances")
        report.add("pictures seen", "\(sum.pictures), \(sum.onTheWay) of them on the way")
        report.require(films.count == Self.filmCount || only != nil, "too few films")
        report.require(sum.seeks >= total * 9 / 10, "too few seeks")
        try report.finish()
    }
}
