// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove effects`: what the processor's way of converting saves with each built-in filter, on software
/// OpenGL: a film of 1080p under noise into a framebuffer of 1280 x 720, as fast as it goes, by our shader
/// and by our processor path, with the same effect.
///
/// Each in a process of its own, in turns; figures are medians over the rounds of what each round's two
/// come to. Where three rounds say that a filter falls short, nine decide.
///
/// What an effect itself takes is the same both ways. So of the two ways' times without an effect follows
/// how much one may take for the processor's way to come to 1.5 times the shader's rate: that is what is
/// asked of all effects that clearly take less. And whatever they take, what is saved without is to be
/// saved with them.
struct EffectsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "effects", abstract: "What software OpenGL saves with each built-in filter.")

    @Flag(help: "A shorter film, with every sixth effect.")
    var short = false

    @Option(help: ArgumentHelp("For the proof itself: an effect, or none.", visibility: .private))
    var effect: String?

    @Argument(help: ArgumentHelp("For the proof itself: the film.", visibility: .private))
    var film: String?

    /// Milliseconds of processor and of the clock a frame.
    private struct Cost {
        var processor = 0.0
        var clock = 0.0

        init(_ run: ClipRun) {
            processor = run.processor / Double(max(1, run.frames)) * 1000
            clock = run.wall / Double(max(1, run.frames)) * 1000
        }
    }

    /// One round of an effect, or of none.
    private typealias Pair = (shader: Cost, processor: Cost)

    private static let goal = 1.5
    /// Of what is saved without an effect.
    private static let leastSaved = 0.75
    /// Nearer to the limit than this share of it, noise decides.
    private static let margin = 0.85

    func run() throws {
        if let film, let effect {
            let effects =
                effect == "none"
                ? [] : [EffectInstance(try EffectLibrary.effect(named: effect))]
            return try ClipRun.ours(film, effects: effects).printed()
        }
        guard ProcessRunner.has("ffmpeg") else {
            throw CannotProve("effects: ffmpeg is missing; apt-get install ffmpeg")
        }
        var report = Report("effects")
        let folder = TemporaryFolder()
        let film = folder.appending("noise.mkv").path
        Progress.show(Machine.waitUntilQuiet(seconds: 60))
        let usage = Machine.usage
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
                "testsrc2=size=1920x1080:rate=30,noise=alls=8:allf=t", "-frames:v",
                short ? "60" : "150", "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt",
                "yuv420p", film,
            ], deadline: .seconds(300))
        var filters = EffectLibrary.builtInNames.filter { name in
            (try? EffectLibrary.effect(named: name))?.inputs.contains { $0.identity != nil }
                ?? false
        }
        if short {
            filters = filters.indices.filter { $0 % 6 == 1 }.map { filters[$0] }
        }
        var rounds: [String: [Pair]] = [:]
        func measure(_ filters: [String], rounds numbers: ClosedRange<Int>) throws {
            for round in numbers {
                for name in ["none"] + filters {
                    Progress.show("round \(round): \(name)")
                    rounds[name, default: []].append(
                        (try cost(of: name, film, "gpu"), try cost(of: name, film, "cpu")))
                }
            }
        }
        try measure(filters, rounds: 1...3)
        // Three rounds tell most filters from the limit. Those that seem to fall short get as many as
        // decide it; the same limit, and all rounds count.
        let doubtful = filters.filter { !figures(of: $0, rounds).holds }
        if !doubtful.isEmpty { try measure(doubtful, rounds: 4...9) }
        judge(rounds, filters, &report)
        report.add("others used", Machine.others(since: usage))
        try report.finish()
    }

    private func cost(of effect: String, _ film: String, _ conversion: String) throws -> Cost {
        Cost(
            try ClipRun.inProcess(
                ["effects", "--effect", effect, film], conversion: conversion))
    }

    /// What the rounds of a filter come to, in the median.
    private struct Figures {
        /// Milliseconds that the filter takes, and that one may take.
        var own: Double
        var most: Double
        /// Times the shader's rate, by processor time and by the clock.
        var ratio: Double
        var clock: Double
        /// Of what is saved without a filter.
        var share: Double

        var isLight: Bool { own <= EffectsProof.margin * most }
        var holds: Bool { !isLight || ratio >= EffectsProof.goal }
    }

    private func figures(of name: String, _ rounds: [String: [Pair]]) -> Figures {
        let pairs = Array(zip(rounds[name] ?? [], rounds["none"] ?? []))
        func median(_ value: ((Pair, without: Pair)) -> Double) -> Double {
            let values = pairs.map { value(($0, without: $1)) }.sorted()
            return values.isEmpty ? .nan : values[values.count / 2]
        }
        let shader = median { $0.without.shader.processor }
        let processor = median { $0.without.processor.processor }
        return Figures(
            own: median { $0.0.processor.processor - $0.without.processor.processor },
            // What x has to be for (shader + x) / (processor + x) to be the goal.
            most: (shader - Self.goal * processor) / (Self.goal - 1),
            ratio: median { $0.0.shader.processor / $0.0.processor.processor },
            clock: median { $0.0.shader.clock / $0.0.processor.clock },
            share: median {
                ($0.0.shader.processor - $0.0.processor.processor)
                    / ($0.without.shader.processor - $0.without.processor.processor)
            })
    }

    private func judge(_ rounds: [String: [Pair]], _ filters: [String], _ report: inout Report) {
        let without = rounds["none"] ?? []
        func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        report.add(
            "without an effect",
            "shader \(Machine.hundredths(median(without.map(\.shader.processor)))), processor "
                + "\(Machine.hundredths(median(without.map(\.processor.processor)))) ms of "
                + "processor a frame; an effect may take "
                + "\(Machine.hundredths(figures(of: "none", rounds).most)) ms for \(Self.goal) times "
                + "the shader's rate")
        var shares: [Double] = []
        var countAtGoal = 0
        for name in filters {
            let figures = figures(of: name, rounds)
            shares.append(figures.share)
            if figures.ratio >= Self.goal { countAtGoal += 1 }
            report.add(
                name,
                "takes \(Machine.hundredths(figures.own)) ms; \(Machine.hundredths(figures.ratio)) "
                    + "times the shader's rate by processor time, "
                    + "\(Machine.hundredths(figures.clock)) by the clock; saved "
                    + "\(Machine.hundredths(figures.share)) of what is saved without")
            report.require(
                figures.holds,
                "\(name) takes \(figures.own) ms, and comes to \(figures.ratio) times the "
                    + "shader's rate")
        }
        shares.sort()
        let share = shares.isEmpty ? 0 : shares[shares.count / 2]
        report.add("at \(Self.goal) or more", "\(countAtGoal) of \(filters.count)")
        report.add("saved, in the median", Machine.hundredths(share))
        report.require(share >= Self.leastSaved, "of what is saved without effects \(share) is")
        // Without these two a slower way would ask less of every filter, and in the end nothing of any.
        let ratio = figures(of: "none", rounds).ratio
        report.require(
            ratio >= Self.goal,
            "without an effect the processor's way comes to \(ratio) times the shader's rate")
        report.require(
            short || countAtGoal * 4 >= filters.count,
            "only \(countAtGoal) of \(filters.count) filters come to \(Self.goal)")
    }
}
