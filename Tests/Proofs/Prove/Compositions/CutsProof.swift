// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove cuts`: random cuts of numbered frames in one composition after another, read, played,
/// played backwards and after seeks. The numbers in the pixels must equal the list computed from
/// the cuts.
struct CutsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cuts", abstract: "Compositions show exactly the frames of their cuts.")

    @Flag(help: "120 cuts instead of 1,000.")
    var short = false

    @Option(help: "The number of cuts.")
    var cuts: Int?

    @Option(help: "The seed of the cuts.")
    var seed: UInt64 = 1

    func run() throws {
        guard ProcessRunner.has("ffmpeg"), ProcessRunner.has("ffprobe") else {
            throw CannotProve("ffmpeg is not installed")
        }
        var report = Report("cuts")
        var random = SplitMix64(seed: seed)
        let films = try CutsFilm.kinds.map { kind in
            Progress.show("encoding \(kind.name)")
            return try CutsFilm(kind)
        }
        // One composition for each file, which other programs can make too, and one composition of
        // all files.
        let total = cuts ?? (short ? 120 : 1000)
        let count = max(1, total / (films.count + 1))
        var (cutCount, frameCount, seekCount) = (0, 0, 0)
        var wrong = (read: 0, played: 0, backwards: 0, sought: 0, concat: 0, melt: 0)
        let hasMelt = ProcessRunner.has("melt")
        var concatByKind: [String] = []
        for index in 0...films.count {
            let isMixed = index == films.count
            let name = isMixed ? "all files" : films[index].kind.name
            Progress.show("cuts of \(name)")
            let run = try CutsRun(
                isMixed ? films : [films[index]],
                cuts: isMixed ? max(1, total - count * films.count) : count, random: &random)
            cutCount += run.cuts.count
            frameCount += run.expected.count
            let before = wrong
            wrong.read += try run.wrongWhenRead()
            wrong.played += try run.wrongWhenPlayed()
            wrong.backwards += try run.wrongBackwards()
            wrong.sought += try run.wrongAfterSeeks(run.cuts.count, random: &random)
            seekCount += run.cuts.count
            let ours = [
                wrong.read - before.read, wrong.played - before.played,
                wrong.backwards - before.backwards, wrong.sought - before.sought,
            ]
            report.require(
                ours.allSatisfy { $0 == 0 },
                "\(name): wrong when read, played, played backwards, sought: \(ours)")
            guard !isMixed else { continue }
            let concat = try CutsRivals.wrongOfConcat(run)
            wrong.concat += concat
            concatByKind.append("\(name) \(concat)")
            if hasMelt, !films[index].kind.hasVariableRate {
                wrong.melt += try CutsRivals.wrongOfMelt(run)
            }
        }
        report.add("cuts", "\(cutCount) in \(films.count + 1) compositions of \(films.count) files")
        report.add("frames", frameCount)
        report.add("seeks", seekCount)
        report.add("wrong frames, read", wrong.read)
        report.add("wrong frames, played", wrong.played)
        report.add("wrong frames, played backwards", wrong.backwards)
        report.add("wrong frames, after seeks", wrong.sought)
        report.add(
            "wrong frames, FFmpeg's concat",
            "\(wrong.concat): " + concatByKind.joined(separator: ", "))
        if hasMelt { report.add("wrong frames, melt, constant rates", wrong.melt) }
        try report.finish()
    }
}
