// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport

/// `prove session`: half an hour of use of the player's window, in another order each time, by real keys,
/// a real pointer and the control socket, which leaves no error, no leak, and memory level.
///
/// After every six acts the player is brought back to the same film at the same frame, which has to be
/// on the screen, and what it then holds is noted: memory, resident and allocated, descriptors, threads,
/// objects of OpenGL. The context is a debug context, whose words would be told as problems.
struct SessionProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Half an hour of use of the player's window.")

    @Flag(help: "Half a minute, in which nothing can come to rest: what is held is only told.")
    var short = false

    @Option(help: "How long, in seconds, in place of half an hour.")
    var seconds: Int?

    @Option(help: "What the order of things is drawn from.")
    var seed: UInt64 = 1

    /// Only acts whose names contain this.
    @Option(help: ArgumentHelp("Only these acts.", valueName: "word"))
    var only: String?

    /// What the player holds at rest.
    private struct Look {
        var resources: Resources
        /// What it has in use of malloc's memory, in KiB: without what malloc keeps for later.
        var allocated: Int
        var objects: Int
        var holdings: [String: Int]
    }

    /// Acts between two looks at what is held.
    private static let stretch = 6
    /// What may be more at the end than at half the time. Of resident memory a twentieth of the player's
    /// own, as malloc's heaps come and go; of what is allocated, a quarter of that. Threads come and go
    /// with decoders, caches of descriptors with the driver.
    private static let limits: [(name: String, value: @Sendable (Look) -> Int, limit: Int)] = [
        ("resident KiB", { $0.resources.memory }, 16 << 10),
        ("allocated KiB", { $0.allocated }, 4 << 10),
        ("threads", { $0.resources.threads }, 2),
        ("descriptors", { $0.resources.descriptors }, 2),
        ("objects of OpenGL", { $0.objects }, 2),
    ]

    func run() throws {
        var report = Report("session")
        guard ProcessRunner.has("xdotool") else {
            throw CannotProve("session: xdotool is missing; apt-get install xdotool")
        }
        Progress.show("making films")
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
        // Until everything has been done once, caches and watchers come to be that stay.
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

    /// Brings the player to the same film and frame as ever, and looks at what it holds.
    private func rest(_ player: SessionPlayer, _ media: SessionMedia) throws -> Look {
        try SessionAct.leaveWholeScreen(player)
        try SessionAct.open(media.film, player)
        _ = try SessionAct.stand(at: 300, player)
        // Threads of what was played before have ended by then, and words over the film have gone.
        usleep(3_000_000)
        return Look(
            resources: player.resources,
            allocated: Int(try player.number("allocated-bytes") ?? 0) >> 10,
            objects: try player.objectCount(),
            holdings: Resources.holdings(ofProcess: "\(player.program.identifier)"))
    }

    /// Level is what is held at the end of the second half as at the end of the first: what fills up to a
    /// bound, caches, pools and malloc's heaps, has done so by then, and what leaks has leaked for half of
    /// the time between the two. Each is the median of a quarter of a half, since malloc's heaps come and
    /// go; the player stands at the same frame of the same film at every look.
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
            report.add("judged", "no: too short for everything to have been done before half of it")
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

    /// What was said, and how it ended.
    private func judge(
        _ report: inout Report, _ player: SessionPlayer, status: Int32?
    ) {
        // 2 and 4 tell that a film could not be played, or an effect not compiled: that is so.
        report.require(
            [0, 2, 4].contains(status),
            status.map { "the player ended with status \($0)" } ?? "the player did not end")
        let lines = player.program.standardError.split(separator: "\n")
        // What is wrong with a file is told with its path; of an effect, with line and caret beneath.
        let unexpected = lines.filter {
            $0.hasPrefix("playhead: ") && !$0.contains("/broken/") && !$0.contains("no picture")
        }
        report.add("lines of problems", "\(lines.count), of files that have them")
        for line in unexpected.prefix(5) { report.require(false, "it said: \(line)") }
    }
}
