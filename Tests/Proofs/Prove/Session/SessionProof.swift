// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport

/// `prove session`: half an hour of use of the player's window, in a random order, by real key and
/// pointer events and the control socket, without an error or a leak, and with constant memory.
///
/// After every six acts the player returns to the same frame of the same video, which must be on
/// the screen, and its resources are recorded: memory, resident and allocated, descriptors,
/// threads, OpenGL objects. The context is a debug context, whose messages would be reported as
/// problems.
struct SessionProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Half an hour of use of the player's window.")

    @Flag(help: "Runs for half a minute, and reports resources without a limit.")
    var short = false

    @Option(help: "The duration in seconds, instead of half an hour.")
    var seconds: Int?

    @Option(help: "The seed of the order of acts.")
    var seed: UInt64 = 1

    /// Runs only acts whose names contain this text.
    @Option(help: ArgumentHelp("Only these acts.", valueName: "word"))
    var only: String?

    /// The resources that the player holds at rest.
    private struct Look {
        var resources: Resources
        /// The memory in use, in KiB, without what malloc keeps for later.
        var allocated: Int
        var objects: Int
        var holdings: [String: Int]
    }

    /// The number of acts between two measurements.
    private static let stretch = 6
    /// The limits of growth between half the time and the end. For resident memory this is a
    /// twentieth of the player's own, since malloc's heaps vary; for allocated memory, a quarter of
    /// that. The number of threads varies with decoders, and that of descriptors with the driver's
    /// caches.
    private static let limits: [(name: String, value: @Sendable (Look) -> Int, limit: Int)] = [
        ("resident KiB", { $0.resources.memory }, 16 << 10),
        ("allocated KiB", { $0.allocated }, 4 << 10),
        ("threads", { $0.resources.threads }, 2),
        ("descriptors", { $0.resources.descriptors }, 2),
        ("OpenGL objects", { $0.objects }, 2),
    ]

    func run() throws {
        var report = Report("session")
        guard ProcessRunner.has("xdotool") else {
            throw CannotProve("session: xdotool is missing; apt-get install xdotool")
        }
        Progress.show("making videos")
        let media = try SessionMedia()
        let player = try SessionPlayer(media.film)
        try player.set("loop-file", "inf")
        var random = SplitMix64(seed: seed)
        let acts = SessionAct.all.filter { only.map($0.name.contains) ?? true }
        var looks = [try rest(player, media)]
        var counts: [String: Int] = [:]
        var surprises: [String] = []
        let begin = ContinuousClock.now
        let duration = Duration.seconds(seconds ?? (short ? 35 : 1800))
        var queue: [SessionAct] = []
        // Until everything has been done once, caches and watchers are created that persist.
        var warm: Int?
        while ContinuousClock.now - begin < duration, surprises.count < 5 {
            var last = ""
            for _ in 0..<Self.stretch where ContinuousClock.now - begin < duration {
                if queue.isEmpty { queue = acts.shuffled(using: &random) }
                let act = queue.removeLast()
                Progress.show("\(act.name), after \(ContinuousClock.now - begin)")
                do {
                    try act.perform(player, media, &random)
                } catch {
                    if player.program.hasEnded {
                        throw CannotProve(
                            "the player ended in '\(act.name)', with status "
                                + "\(player.program.wait() ?? 0): \(player.program.standardError)")
                    }
                    surprises.append("\(act.name): \(error)")
                }
                counts[act.name, default: 0] += 1
                last = act.name
            }
            do {
                looks.append(try rest(player, media))
            } catch {
                surprises.append("at rest after '\(last)': \(error)")
                continue
            }
            if warm == nil, counts.count == acts.count { warm = looks.count - 1 }
        }
        let seconds = (ContinuousClock.now - begin).components.seconds
        try player.press("q")
        let status = player.program.wait(SessionPlayer.patience)
        judge(
            &report, looks, warm, surprises, acts: counts.values.reduce(0, +), seconds: Int(seconds)
        )
        judge(&report, player, status: status)
        try report.finish()
    }

    /// Returns the player to the same frame of the same video, and measures its resources.
    private func rest(_ player: SessionPlayer, _ media: SessionMedia) throws -> Look {
        try SessionAct.leaveWholeScreen(player)
        try SessionAct.open(media.film, player)
        _ = try SessionAct.stand(at: 300, player)
        // By then the threads of the previous item have ended, and text over the video has
        // disappeared.
        usleep(3_000_000)
        return Look(
            resources: player.resources,
            allocated: Int(try player.number("allocated-bytes") ?? 0) >> 10,
            objects: try player.objectCount(),
            holdings: Resources.holdings(ofProcess: "\(player.program.identifier)"))
    }

    /// Checks that resources are level: the second half must end with as much as the first.
    /// Everything that fills up to a limit, such as caches, pools and malloc's heaps, is full after
    /// the first half. A leak grows during the second half. Each value is the median of a quarter
    /// of a half, since malloc's heaps vary. The player shows the same frame of the same video at
    /// every measurement.
    private func judge(
        _ report: inout Report, _ looks: [Look], _ warmIndex: Int?, _ surprises: [String],
        acts: Int, seconds: Int
    ) {
        report.add("used", "\(acts) acts in \(seconds) s (seed \(seed))")
        func list(_ value: (Look) -> Int) -> String {
            looks.map { "\(value($0))" }.joined(separator: " ")
        }
        report.add("resident, MiB", list { $0.resources.memory >> 10 })
        report.add("allocated, MiB", list { $0.allocated >> 10 })
        report.add("objects", list(\.objects))
        report.add("threads", list(\.resources.threads))
        report.add("descriptors", list(\.resources.descriptors))
        for surprise in surprises { report.require(false, surprise) }
        let half = looks.count / 2
        let before = looks[..<half].suffix(max(6, half / 4))
        guard let warmIndex, warmIndex < before.startIndex else {
            report.add("judged", "no: too short to do everything in its first half")
            return
        }
        let after = looks.suffix(before.count)
        for (name, value, limit) in Self.limits {
            let (first, last) = (Self.median(before.map(value)), Self.median(after.map(value)))
            report.add("\(name)", "\(first) at half the time, \(last) at the end")
            report.require(last - first <= limit, "\(name): \(last - first) more, limit \(limit)")
        }
        guard let first = before.last, let last = after.last else { return }
        let more = last.holdings.filter { $0.value > first.holdings[$0.key] ?? 0 }
        for (name, count) in more.sorted(by: { $0.key < $1.key }) {
            report.add("more", "\(name): \(count) in place of \(first.holdings[name] ?? 0)")
        }
    }

    private static func median(_ values: [Int]) -> Int { values.sorted()[values.count / 2] }

    /// Checks the messages and the exit status.
    private func judge(
        _ report: inout Report, _ player: SessionPlayer, status: Int32?
    ) {
        // 2 and 4 report that a video could not be played, or an effect not compiled, which is
        // expected.
        report.require(
            [0, 2, 4].contains(status),
            status.map { "the player ended with status \($0)" } ?? "the player did not end")
        let lines = player.program.standardError.split(separator: "\n")
        // A file's problem is reported with its path, an effect's with line and caret beneath.
        let unexpected = lines.filter {
            $0.hasPrefix("playhead: ") && !$0.contains("/broken/")
                && !$0.contains("it has no video")
        }
        report.add("lines of problems", "\(lines.count), about faulty files")
        for line in unexpected.prefix(5) { report.require(false, "unexpected message: \(line)") }
    }
}
