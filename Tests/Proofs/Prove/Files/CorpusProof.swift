// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import Foundation
import MediaTestSupport
import Synchronization

/// `prove corpus`: for every video of the collection that FFmpeg decodes cleanly, the tool lists
/// all frames, at the times that FFmpeg's own ffprobe reports, to the last tick of the timescale.
///
/// The proof compares `pts_exact` of `playhead frames FILE` with `best_effort_timestamp` times
/// `time_base` of `ffprobe -select_streams INDEX`, as rationals and without floating point, for the
/// track that plays. Where ffprobe has no time (`N/A`), the number of frames must still agree.
/// Where the collection has a list of frames made by torchcodec, the times must also equal those.
struct CorpusProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corpus",
        abstract: "Frames and their times are those of ffprobe, over the whole collection.")

    @Flag(help: "Checks a fifth of the videos.")
    var short = false

    func run() throws {
        guard Corpus.has("MANIFEST.jsonl") else { throw CannotProve("corpus: \(Corpus.absence)") }
        guard ProcessRunner.has("ffprobe") else {
            throw CannotProve("corpus: ffprobe is missing; apt-get install ffmpeg")
        }
        let tool = try Tool.path()
        let all = try CorpusFilm.all()
        let films = short ? all.enumerated().filter { $0.offset % 5 == 2 }.map(\.element) : all
        let outcomes = Mutex([CorpusFilm.Outcome?](repeating: nil, count: films.count))
        DispatchQueue.concurrentPerform(iterations: films.count) { index in
            let outcome = films[index].check(with: tool)
            let done = outcomes.withLock { outcomes in
                outcomes[index] = outcome
                return outcomes.count { $0 != nil }
            }
            Progress.show("\(done) of \(films.count): \(films[index].path)")
        }
        try report(films, outcomes.withLock { $0.compactMap { $0 } })
    }

    private func report(_ films: [CorpusFilm], _ outcomes: [CorpusFilm.Outcome]) throws {
        var report = Report("corpus")
        var (equal, frames, lists) = (0, 0, 0)
        var refused: [(path: String, reason: String)] = []
        for (film, outcome) in zip(films, outcomes) {
            switch outcome {
            case .equal(let count, let hasList):
                equal += 1
                frames += count
                lists += hasList ? 1 : 0
            case .refused(let reason): refused.append((film.path, reason))
            case .differs(let reason): report.require(false, "\(film.path): \(reason)")
            }
        }
        for (path, reason) in refused { report.add("refused on purpose: \(path)", reason) }
        report.add("videos", "\(films.count) that FFmpeg decodes cleanly and that have frames")
        report.add("same frames and times as ffprobe", "\(equal) videos, \(frames) frames")
        report.add("same times as torchcodec's list", "\(lists) videos")
        report.add("refused on purpose", refused.count)
        report.require(!films.isEmpty, "there are no videos")
        try report.finish()
    }
}
