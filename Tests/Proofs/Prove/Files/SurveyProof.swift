// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import Foundation
import MediaTestSupport
import PlayheadUI
import Synchronization

/// `prove survey`: every file of the collection, including damaged and hostile ones, either fails
/// with a typed error or plays the part that can be played. None crashes, takes more than 10 s to
/// open or refuse, or uses more than 1 GiB of memory.
///
/// Each file is read in a process of its own, all video and audio of its preferred tracks, for at
/// most 20 s. The process reports the time that opening took and its peak memory.
struct SurveyProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "survey", abstract: "Every file plays or is refused, within 10 s and 1 GiB.")

    @Flag(help: "Checks a fifth of the files.")
    var short = false

    /// Reads one file; the proof runs this as a process of its own.
    @Option(help: .hidden)
    var file: String?

    private static let openingLimit = 10.0
    private static let memoryLimit = 1 << 30
    /// The maximum duration of a process. It includes the reading time, and a margin for a loaded
    /// machine.
    private static let deadline = Duration.seconds(90)

    /// The result for one file.
    struct Outcome: Codable {
        /// The error message that it ended with.
        var refusal: String?
        var openingSeconds = 0.0
        var pictures = 0
        var samples = 0
        var errors = 0
        /// The peak memory, in bytes.
        var memory = 0
    }

    func run() throws {
        if let file {
            let outcome = FileSurvey(file).outcome
            print(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
            return
        }
        guard Corpus.has("MANIFEST.jsonl") else { throw CannotProve("survey: \(Corpus.absence)") }
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let all = try CorpusFile.all()
        let files = short ? all.enumerated().filter { $0.offset % 5 == 3 }.map(\.element) : all
        let results = Mutex([Result<Outcome, CannotProve>?](repeating: nil, count: files.count))
        DispatchQueue.concurrentPerform(iterations: files.count) { index in
            let result = Self.survey(files[index], with: own)
            let done = results.withLock { results in
                results[index] = result
                return results.count { $0 != nil }
            }
            Progress.show("\(done) of \(files.count): \(files[index].path)")
        }
        try report(files, results.withLock { $0.compactMap { $0 } })
    }

    private static func survey(
        _ file: CorpusFile, with program: String
    ) -> Result<Outcome, CannotProve> {
        guard let path = Corpus.url(file.path)?.path else {
            return .failure(CannotProve("is not there"))
        }
        do {
            let result = try ProcessRunner.check(
                [program, "survey", "--file", path], deadline: deadline)
            return .success(
                try JSONDecoder().decode(Outcome.self, from: Data(result.standardOutput)))
        } catch {
            return .failure(CannotProve("\(error)"))
        }
    }

    private func report(_ files: [CorpusFile], _ results: [Result<Outcome, CannotProve>]) throws {
        var report = Report("survey")
        var (played, damaged, refused, pictures) = (0, 0, 0, 0)
        var slowest = (seconds: 0.0, path: "")
        var largest = (bytes: 0, path: "")
        for (file, result) in zip(files, results) {
            switch result {
            case .failure(let reason): report.require(false, "\(file.path): \(reason)")
            case .success(let outcome):
                if let refusal = outcome.refusal, outcome.pictures + outcome.samples == 0 {
                    refused += 1
                    // FFmpeg decodes encrypted samples to noise.
                    report.require(
                        !file.isPlayable || refusal.contains("is encrypted"),
                        "\(file.path): FFmpeg decodes it cleanly, and we refuse it: \(refusal)")
                    report.require(
                        refusal.contains("; ") && !refusal.contains("\n"),
                        "\(file.path): expected one line with a remedy, found: \(refusal)")
                } else {
                    played += 1
                    damaged += outcome.errors > 0 || outcome.refusal != nil ? 1 : 0
                }
                pictures += outcome.pictures
                if outcome.openingSeconds > slowest.seconds {
                    slowest = (outcome.openingSeconds, file.path)
                }
                if outcome.memory > largest.bytes { largest = (outcome.memory, file.path) }
                report.require(
                    outcome.openingSeconds <= Self.openingLimit,
                    "\(file.path): opening took \(outcome.openingSeconds) s")
                report.require(
                    outcome.memory <= Self.memoryLimit,
                    "\(file.path): used \(outcome.memory >> 20) MiB")
            }
        }
        report.add("files", "\(files.count), each in a process of its own")
        report.add("played", "\(played), \(pictures) frames; \(damaged) files damaged")
        report.add("refused, each with a remedy", refused)
        report.add(
            "longest opening", String(format: "%.2f s, %@", slowest.seconds, slowest.path))
        report.add("peak memory", "\(largest.bytes >> 20) MiB, \(largest.path)")
        report.require(!files.isEmpty, "there are no files")
        try report.finish()
    }
}
