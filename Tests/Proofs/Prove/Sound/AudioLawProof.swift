// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove audio-law`: reading from any position, seeking and looping give the audio that sequential
/// decoding gives.
///
/// ffmpeg encodes noise and music with every codec that has priming, pre-roll, a bit reservoir or
/// block switching, into every container of the matrix. Sequential decoding must return as many
/// samples as ffmpeg decodes, without a gap. Pieces read with an `AssetReader`, pieces played after
/// an exact seek, and rounds of a loop are compared with it, sample by sample.
struct AudioLawProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audio-law",
        abstract: "Seeks and loops of every codec give sequentially decoded audio.")

    @Flag(help: "Runs 20 reads, 10 seeks and 5 seams instead of 1,000, 1,000 and 100.")
    var short = false

    @Option(help: "Checks only kinds whose name contains this text.")
    var only: String?

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("audio-law: ffmpeg is missing; apt-get install ffmpeg")
        }
        var report = Report("audio-law")
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        for rate in [44_100, 48_000] {
            try AudioMaterial.write(
                seconds: 20, sampleRate: rate, to: folder.appending("material-\(rate)"))
        }
        let kinds = AudioKind.matrix.filter { only.map($0.name.contains) ?? true }
        for (number, kind) in kinds.enumerated() {
            Progress.show("\(number + 1) of \(kinds.count): \(kind.name)")
            do {
                try prove(kind, number, folder, &report)
            } catch {
                report.require(false, "\(kind.name): \(error)")
            }
        }
        report.require(!kinds.isEmpty, "no kind is named \(only ?? "")")
        try report.finish()
    }

    private func prove(
        _ kind: AudioKind, _ number: Int, _ folder: TemporaryFolder, _ report: inout Report
    ) throws {
        let material = folder.appending("material-\(kind.sampleRate)")
        let file = folder.appending("\(number).\(kind.container)")
        try kind.write(to: file, material: material, seconds: 20)
        defer { try? FileManager.default.removeItem(at: file) }
        let run = try AudioLawRun(kind, file: file)
        if let fault = try run.rowFault(seconds: 20) {
            report.require(false, "\(kind.name): in a row: \(fault)")
        }
        add(try run.read(short ? 20 : 1000, seed: 1), "reader", kind, &report)
        add(try AudioLawPlayer(run).seek(short ? 10 : 1000, seed: 2), "seeks", kind, &report)
        let round = folder.appending("round-\(number).\(kind.container)")
        try kind.write(to: round, material: material, seconds: 1.3)
        defer { try? FileManager.default.removeItem(at: round) }
        let loop = try AudioLawPlayer(AudioLawRun(kind, file: round)).loop(short ? 6 : 101)
        add(loop, "rounds", kind, &report)
    }

    private func add(
        _ findings: AudioFindings, _ what: String, _ kind: AudioKind, _ report: inout Report
    ) {
        report.add("\(kind.name): \(what)", findings)
        report.require(
            findings.holds,
            "\(kind.name): \(what): \(findings); " + findings.examples.joined(separator: "; "))
    }
}
