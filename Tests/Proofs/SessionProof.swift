// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport

/// `prove session`: half an hour of use of the player's window, in another order each time, by real keys,
/// a real pointer and the control socket, which leaves no error, no leak, and memory level.
///
/// After every six acts the player is brought back to the same film at the same frame, which has to be
/// on the screen, and what it then holds is noted: resident memory, descriptors, threads, objects of
/// OpenGL. The context is a debug context, whose words would be told as problems.
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
        var objects: Int
        var holdings: [String: Int]
    }

    /// Acts between two looks at what is held.
    private static let stretch = 6
    /// What memory may have grown by from a quarter of the time on: a twentieth of the player's own, in
    /// KiB, as malloc's heaps come and go.
    private static let memoryLimit = 16 << 10
    /// Threads come and go with decoders, caches of descriptors with the driver.
    private static let slack = 2

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
        try player.press("Escape")
        try SessionAct.isInWindow(player)
        try SessionAct.open(media.film, player)
        _ = try SessionAct.stand(at: 300, player)
        // Threads of what was played before have ended by then, and words over the film have gone.
        usleep(2_000_000)
        return Look(
            resources: player.resources, objects: try player.objectCount(),
            holdings: Resources.holdings(ofProcess: "\(player.program.identifier)"))
    }

    private func judge(
        _ report: inout Report, _ looks: [Look], _ warmIndex: Int?, _ surprises: [String],
        acts: Int, seconds: Int
    ) {
        report.add("used", "\(acts) acts in \(seconds) s (seed \(seed))")
        // Memory comes to rest later: malloc's heaps fill up with what has been let go of.
        let warm = looks[max(warmIndex ?? 0, looks.count / 4)]
        let last = looks[looks.count - 1]
        for (name, look) in [("at first", looks[0]), ("warmed up", warm), ("at the end", last)] {
            report.add(name, "\(look.resources), \(look.objects) objects of OpenGL")
        }
        let memory = looks.map { "\($0.resources.memory >> 10)" }
        report.add("memory, MiB", memory.joined(separator: " "))
        report.add("objects", looks.map { "\($0.objects)" }.joined(separator: " "))
        for surprise in surprises { report.require(false, surprise) }
        guard let warmIndex, looks.count - warmIndex > 3 else {
            report.add("judged", "no: too short for everything to have been done twice")
            return
        }
        // The last three looks: what was taken for a moment is not lost.
        let settled = looks.suffix(3)
        let growth = (settled.map(\.resources.memory).min() ?? 0) - warm.resources.memory
        report.add("memory since", "\(growth >> 10) MiB")
        report.require(growth <= Self.memoryLimit, "memory grew by \(growth >> 10) MiB")
        let descriptors = settled.map(\.resources.descriptors).min() ?? 0
        let threads = settled.map(\.resources.threads).min() ?? 0
        let objects = settled.map(\.objects).min() ?? 0
        report.require(
            descriptors <= warm.resources.descriptors + Self.slack,
            "\(descriptors) descriptors in place of \(warm.resources.descriptors)")
        report.require(
            threads <= warm.resources.threads + Self.slack,
            "\(threads) threads in place of \(warm.resources.threads)")
        let more = last.holdings.filter { $0.value > warm.holdings[$0.key] ?? 0 }
        for (name, count) in more.sorted(by: { $0.key < $1.key }) {
            report.add("more", "\(name): \(count) in place of \(warm.holdings[name] ?? 0)")
        }
        // Pools hold as many as were ever needed at once.
        let pool = looks[...warmIndex].map(\.objects).max() ?? 0
        report.require(
            objects <= pool + Self.slack, "\(objects) objects of OpenGL in place of \(pool)")
    }

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
