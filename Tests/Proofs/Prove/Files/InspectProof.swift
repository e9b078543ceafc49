// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import Foundation
import MediaTestSupport
import Synchronization

/// `prove inspect`: for every file of the collection, `playhead inspect --json` reports what
/// ffprobe reports, for each fact that both report.
struct InspectProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "inspect --json agrees with ffprobe, over the whole collection.")

    @Flag(help: "Checks a fifth of the files.")
    var short = false

    private enum Outcome {
        case compared(InspectComparison)
        /// Neither program opens it, or only ffprobe does.
        case refused(byProbeToo: Bool)
        /// Only ffprobe fails, at a codec that it cannot open.
        case onlyOurs
        case failed(String)
    }

    func run() throws {
        guard Corpus.has("MANIFEST.jsonl") else { throw CannotProve("inspect: \(Corpus.absence)") }
        guard ProcessRunner.has("ffprobe") else {
            throw CannotProve("inspect: ffprobe is missing; apt-get install ffmpeg")
        }
        let tool = try Tool.path()
        let all = try CorpusFile.all()
        let files = short ? all.enumerated().filter { $0.offset % 5 == 1 }.map(\.element) : all
        let outcomes = Mutex([Outcome?](repeating: nil, count: files.count))
        DispatchQueue.concurrentPerform(iterations: files.count) { index in
            let outcome = Self.compare(files[index], with: tool)
            let done = outcomes.withLock { outcomes in
                outcomes[index] = outcome
                return outcomes.count { $0 != nil }
            }
            Progress.show("\(done) of \(files.count): \(files[index].path)")
        }
        try report(files, outcomes.withLock { $0.compactMap { $0 } })
    }

    private static func compare(_ file: CorpusFile, with tool: String) -> Outcome {
        guard let path = Corpus.url(file.path)?.path else { return .failed("is not there") }
        do {
            let ours = try ProcessRunner.run([tool, "inspect", path, "--json"])
            // Some files keep ffprobe busy for ever; only our result exists for them.
            guard
                let theirs = try? ProcessRunner.run(
                    InspectComparison.probeArguments(path), deadline: .seconds(20))
            else { return .refused(byProbeToo: true) }
            guard ours.status == 0 || ours.status == 2 else {
                return .failed("inspect ended with \(ours.status): \(ours.standardError)")
            }
            guard ours.status == 0 else { return .refused(byProbeToo: theirs.status != 0) }
            guard theirs.status == 0 else { return .onlyOurs }
            return .compared(
                try InspectComparison(report: ours.standardOutput, probe: theirs.standardOutput))
        } catch {
            return .failed("\(error)")
        }
    }

    private func report(_ files: [CorpusFile], _ outcomes: [Outcome]) throws {
        var report = Report("inspect")
        var onlyTheirs: [CorpusFile] = []
        var (compared, facts, refused, refusedByUs, onlyOurs) = (0, 0, 0, 0, 0)
        for (file, outcome) in zip(files, outcomes) {
            switch outcome {
            case .compared(let comparison):
                compared += 1
                facts += comparison.count
                for difference in comparison.differences {
                    report.require(false, "\(file.path): \(difference)")
                }
            case .refused(let isRefusedByProbe):
                refused += isRefusedByProbe ? 1 : 0
                refusedByUs += isRefusedByProbe ? 0 : 1
                if !isRefusedByProbe { onlyTheirs.append(file) }
            case .onlyOurs: onlyOurs += 1
            case .failed(let reason): report.require(false, "\(file.path): \(reason)")
            }
        }
        report.add("files of the collection", files.count)
        report.add("reported alike", "\(compared) files, \(facts) facts")
        report.add("opened by neither", refused)
        report.add(
            "opened by ffprobe only", "\(refusedByUs): text, playlists, no video or audio")
        report.add("opened by us only", onlyOurs)
        report.require(compared > 0, "there is nothing to compare")
        for file in onlyTheirs where file.isPlayable {
            report.require(false, "\(file.path): only ffprobe opens it")
        }
        try report.finish()
    }
}
