// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI
import Synchronization

/// `prove hostile`: none of the collection's hostile playlists and files makes the player open,
/// read or connect to anything that it may not, and each ends soon.
///
/// The tool lists each file (`playhead frames`) in a process of its own, with bait in the places
/// that the file tries to reach. The file is then read once more in this process, which counts
/// everything that is opened on its behalf. The proof first checks that access to the bait is
/// detected. It gives the same playlists to ffprobe, to show that they do reach the bait in other
/// programs.
struct HostileProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hostile", abstract: "Hostile playlists and files open nothing, and end soon.")

    @Flag(help: "Does not give the playlists to ffprobe.")
    var short = false

    private static let folders = ["made-here/hostile-playlists", "made-here/hostile-media"]
    private static let deadline = Duration.seconds(5)
    private static let maximumDepth = 3
    private static let maximumOpens = 64

    func run() throws {
        let files = try Self.folders.map(Self.files)
        guard files.allSatisfy({ !$0.isEmpty }) else {
            throw CannotProve("hostile: \(Corpus.absence)")
        }
        let tool = try Tool.path()
        let bait = try Bait()
        var report = Report("hostile")
        report.require(try bait.tells(), "access to the bait is not detected")
        var taken = 0
        var (errors, plays) = (0, 0)
        var slowest = (seconds: 0.0, file: "")
        var (depth, opens) = (0, 0)
        for file in files.joined() {
            Progress.show(file)
            let start = HostClock.nanoseconds
            let status = try list(file, with: tool, bait, &report)
            let seconds = Double(HostClock.nanoseconds - start) / 1e9
            if seconds > slowest.seconds { slowest = (seconds, file) }
            errors += status == 2 ? 1 : 0
            plays += status == 0 ? 1 : 0
            let counts = Self.read(file)
            depth = max(depth, counts.depth)
            opens = max(opens, counts.opens)
            for what in bait.taken() {
                taken += 1
                report.require(false, "\(file): \(what)")
            }
        }
        if !short { report.add("bait that ffprobe takes", "by \(try Self.probe(files[0], bait))") }
        report.add("playlists and files", "\(files[0].count) and \(files[1].count)")
        report.add("ended with an error of one line", errors)
        report.add("played, at least in part", plays)
        report.add("bait taken", taken)
        report.add(
            "slowest", String(format: "%.2f s, %@", slowest.seconds, slowest.file as NSString))
        report.add("maximum depth of a child that was opened", depth)
        report.add("maximum number of children that were opened", opens)
        report.require(depth <= Self.maximumDepth, "children at depth \(depth)")
        report.require(opens <= Self.maximumOpens, "\(opens) children")
        try report.finish()
    }

    private static func files(in folder: String) throws -> [String] {
        guard let url = Corpus.url(folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
            .map { url.appending(path: $0).path }
    }

    /// Returns the tool's exit status, and adds an unexpected end to the report.
    private func list(
        _ file: String, with tool: String, _ bait: Bait, _ report: inout Report
    ) throws -> Int32 {
        let command = #"exec "$0" frames "$1" < "$2""#
        do {
            let result = try ProcessRunner.run(
                ["sh", "-c", command, tool, file, bait.input.path], deadline: Self.deadline)
            let lines = result.standardError.split(separator: "\n")
            report.require(
                result.status == 0
                    || result.status == 2 && lines.count == 1
                        && result.standardError.contains(file),
                "\(file): status \(result.status), \(result.standardError)")
            return result.status
        } catch {
            report.require(false, "\(file): \(error)")
            return -1
        }
    }

    /// Counts of the children that an asset opened.
    private final class Counts: Sendable {
        let values = Mutex((depth: 0, opens: 0))

        func add(_ access: AssetAccess) {
            guard access.depth > 0, access.error == nil else { return }
            values.withLock { $0 = (max($0.depth, access.depth), $0.opens + 1) }
        }
    }

    /// Reads a file in this process, and counts the children that it opened.
    private static func read(_ file: String) -> (depth: Int, opens: Int) {
        let counts = Counts()
        var options = AssetOptions()
        options.accessObserver = { counts.add($0) }
        let reader = try? AssetReader(asset: URLAsset(file, options: options))
        let output = try? reader?.addVideoOutput()
        // The run of the tool checks the error, if any.
        while (try? output?.copyNextSampleBuffer()) != nil {}
        return counts.values.withLock { $0 }
    }

    /// Returns the number of playlists that make ffprobe take the bait if it is set to trust every
    /// extension.
    private static func probe(_ playlists: [String], _ bait: Bait) throws -> String {
        _ = bait.taken()
        var count = 0
        for file in playlists {
            Progress.show("ffprobe \(file)")
            let options =
                file.hasSuffix(".m3u8")
                ? ["-allowed_extensions", "ALL"]
                : file.hasSuffix(".ffconcat") ? ["-safe", "0"] : []
            let command = #"input=$0; exec ffprobe -v quiet "$@" < "$input""#
            _ = try? ProcessRunner.run(
                ["sh", "-c", command, bait.input.path] + options + [file], deadline: deadline)
            count += bait.taken().isEmpty ? 0 : 1
        }
        return "\(count) of \(playlists.count) playlists"
    }
}
