// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadEditing

/// `prove writing`: files that `AssetWriter` and `AssetExportSession` make, as ffmpeg and ffprobe
/// read them, and what is left when writing ends early.
struct WritingProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "writing",
        abstract: "Written files have the samples and tags that they were given, and break nothing."
    )

    @Flag(help: "A fifth of the kills and cancellations, and a third of the frames.")
    var short = false

    @Option(help: ArgumentHelp("Writes a file until it is killed.", visibility: .hidden))
    var endless: String?

    @Option(help: ArgumentHelp("Writes a file that exceeds a limit.", visibility: .hidden))
    var limited: String?

    @Option(help: "The seed of the moments of kills and cancellations.")
    var seed: UInt64 = 1

    func run() async throws {
        if let endless { return try await WritingChild.write(endless, untilKilled: true) }
        if let limited { return try await WritingChild.write(limited, untilKilled: false) }
        guard ProcessRunner.has("ffmpeg"), ProcessRunner.has("ffprobe") else {
            throw CannotProve("writing: ffmpeg and ffprobe read the files, and are missing")
        }
        var report = Report("writing")
        let folder = TemporaryFolder()
        let colors = WritingColors(folder: folder)
        try await colors.compareBars(&report)
        try await colors.compareHDR(&report)
        try await colors.compareRamp(&report)
        try await colors.compareAlpha(&report)
        try await WritingProperties(folder: folder).compareFilms(&report)
        let copies = WritingCopies(folder: folder)
        try await copies.comparePackets(&report)
        try await copies.compareGenerations(&report)
        let streams = WritingStreams(folder: folder)
        try await streams.compareSegments(&report)
        try await streams.compareRates(seconds: short ? 20 : 60, &report)
        try await streams.compareProgress(frames: short ? 4000 : 12_000, &report)
        var ends = WritingEnds(folder: folder, random: SplitMix64(seed: seed))
        try await ends.kill(short ? 10 : 50, &report)
        try await ends.cancel(short ? 10 : 50, &report)
        try await ends.exceedLimit(&report)
        try await ends.fillDisk(&report)
        try await ends.removeFolder(&report)
        try report.finish()
    }
}
