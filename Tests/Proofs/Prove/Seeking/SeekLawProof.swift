// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import Foundation
import MediaTestSupport
import PlayheadUI
import Synchronization

/// `prove seek-law`: a seek gives the frame that sequential decoding gives, in every file of the
/// folders.
///
/// For some frames of each file, including both ends: a reader that begins there returns that frame
/// and those after it, an image generator returns it for a time in its middle, and a paused player
/// shows it after a seek, after steps around it, and backwards, with the same time and samples.
/// Files are left out if decoding them twice in sequence gives different results, here or with the
/// `ffmpeg` command, or if their frame times do not rise; each is listed.
struct SeekLawProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek-law", abstract: "A seek gives the frame that sequential decoding gives.")

    @Flag(help: "Checks one file in nine.")
    var short = false

    @Option(help: "The number of seeks in each file and by each entry point.")
    var seeks = 8

    @Option(help: "The seed of the random numbers.")
    var seed: UInt64 = 1

    @Option(help: "Checks only files whose path contains this text.")
    var only: String?

    @Argument(help: "Folders of media.")
    var folders: [String]

    private struct Result {
        var seeks = 0
        var frames = 0
        var breaks: [String] = []
        var refusal: String?
        /// The program whose results differ from run to run, and the frame from which they differ.
        var unrepeatable: String?
    }

    /// The number of times that the `ffmpeg` command decodes a file that breaks the law. Decoders
    /// that read uninitialised memory can give equal results by chance.
    private static let decodings = 4

    func run() throws {
        var paths: [String] = []
        for folder in folders {
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
            for name in names where !name.hasPrefix("sources/") {
                let path = "\(folder)/\(name)"
                var isFolder: ObjCBool = false
                guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
                    !isFolder.boolValue, only.map({ path.contains($0) }) ?? true
                else { continue }
                paths.append(path)
            }
        }
        if short { paths = paths.enumerated().filter { $0.offset % 9 == 0 }.map(\.element) }
        let files = paths
        let results = Mutex([Result?](repeating: nil, count: files.count))
        DispatchQueue.concurrentPerform(iterations: files.count) { index in
            let result = check(files[index])
            let done = results.withLock { results in
                results[index] = result
                return results.count { $0 != nil }
            }
            Progress.show("\(done) of \(files.count): \(files[index])")
        }
        try report(files, results.withLock { $0.compactMap { $0 } })
    }

    private func check(_ path: String) -> Result {
        var result = Result()
        switch SeekLawFilm.read(path) {
        case .refused(let reason): result.refusal = reason
        case .unrepeatable(let index):
            result.unrepeatable = "from frame \(index): playhead frames --hash \(path) | sha256sum"
        case .film(let film):
            var trial = SeekLawTrial(film, seeks: seeks, seed: seed)
            trial.run()
            if !trial.breaks.isEmpty, isDecodedDifferently(path) {
                result.unrepeatable = "ffmpeg -v quiet -i \(path) -f framemd5 - | sha256sum"
                return result
            }
            result.frames = film.frames.count
            result.seeks = trial.count
            result.breaks = trial.breaks
        }
        return result
    }

    /// Returns whether FFmpeg's own command decodes a file differently from time to time.
    private func isDecodedDifferently(_ path: String) -> Bool {
        let lists = (0..<Self.decodings).map { _ in
            try? ProcessRunner.run(
                ["ffmpeg", "-v", "quiet", "-nostdin", "-i", path, "-f", "framemd5", "-"],
                deadline: .seconds(120)
            ).standardOutput
        }
        return lists.dropFirst().contains { $0 != lists[0] }
    }

    private func report(_ files: [String], _ results: [Result]) throws {
        var report = Report("seek-law")
        var reasons: [String: Int] = [:]
        for (file, result) in zip(files, results) {
            if let command = result.unrepeatable {
                report.add("not repeatable", "\(command), twice")
            }
            if let refusal = result.refusal {
                let known = ["frame times do not rise", "fewer than two frames", "too long"]
                let kind = known.first { refusal.hasPrefix($0) } ?? "not opened"
                if kind == known[0] { report.add("left out", "\(file): \(refusal)") }
                reasons[kind, default: 0] += 1
            }
            let examples = result.breaks.prefix(3).joined(separator: "; ")
            report.require(
                result.breaks.isEmpty, "\(file): \(result.breaks.count) breaks; \(examples)")
        }
        let held = results.filter { $0.frames > 0 }
        for (reason, count) in reasons.sorted(by: { $0.value > $1.value }) {
            report.add("left out", "\(count) files: \(reason)")
        }
        report.add("files", "\(held.count), \(held.map(\.frames).reduce(0, +)) frames")
        report.add("seeks", held.map(\.seeks).reduce(0, +))
        report.add("files that break the law", held.count { !$0.breaks.isEmpty })
        report.require(!held.isEmpty, "there are no files with frames")
        try report.finish()
    }
}
