// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove effects`: the processor time that the processor's conversion saves with each built-in
/// filter, on software OpenGL. A video of 1080p with noise is drawn into a framebuffer of 1280 x
/// 720 as fast as possible, by our shader and by our processor path, with the same effect.
///
/// Each run is a process of its own, and the variants alternate. Figures are medians over the
/// rounds of each round's ratio. If a filter falls short in three rounds, nine rounds decide.
///
/// The time of the effect itself is the same both ways. So the times of both ways without an effect
/// determine how much time an effect may take if the processor path is to reach 1.5 times the
/// shader's rate: this is required of all effects that clearly take less. For all effects, the
/// absolute saving must be close to that without an effect.
struct EffectsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "effects", abstract: "Savings on software OpenGL with each built-in filter.")

    @Flag(help: "Uses a shorter video and every sixth effect.")
    var short = false

    @Option(help: ArgumentHelp("For the proof itself: an effect, or none.", visibility: .private))
    var effect: String?

    @Argument(help: ArgumentHelp("For the proof itself: the video.", visibility: .private))
    var film: String?

    /// Milliseconds of processor time and of wall-clock time for a frame.
    private struct Cost {
        var processor = 0.0
        var clock = 0.0

        init(_ run: ClipRun) {
            processor = run.processor / Double(max(1, run.frames)) * 1000
            clock = run.wall / Double(max(1, run.frames)) * 1000
        }
    }

    /// One round of an effect, or without one.
    private typealias Pair = (shader: Cost, processor: Cost)

    private static let goal = 1.5
    /// The minimum share of the saving without an effect.
    private static let leastSaved = 0.75
    /// Noise decides if the effect's time is above this share of the limit.
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
        // Three rounds separate most filters from the limit. Those that seem to fall short get as
        // many as are needed to decide, with the same limit; all rounds count.
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

    /// The medians of a filter's rounds.
    private struct Figures {
        /// Milliseconds that the filter takes, and the maximum.
        var own: Double
        var most: Double
        /// The multiple of the shader's rate, by processor time and by wall-clock time.
        var ratio: Double
        var clock: Double
        /// The share of the saving without a filter.
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
            // The value of x for which (shader + x) / (processor + x) is the goal.
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
                + "processor time a frame; an effect may take "
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
                    + "\(Machine.hundredths(figures.share)) of the saving without")
            report.require(
                figures.holds,
                "\(name) takes \(figures.own) ms, and reaches \(figures.ratio) times the "
                    + "shader's rate")
        }
        shares.sort()
        let share = shares.isEmpty ? 0 : shares[shares.count / 2]
        report.add("at \(Self.goal) or more", "\(countAtGoal) of \(filters.count)")
        report.add("saved, in the median", Machine.hundredths(share))
        report.require(share >= Self.leastSaved, "the median saving is \(share) of the plain one")
        // Without these two checks, a slower processor path would require less of every filter.
        let ratio = figures(of: "none", rounds).ratio
        report.require(
            ratio >= Self.goal,
            "without an effect the processor's way reaches \(ratio) times the shader's rate")
        report.require(
            short || countAtGoal * 4 >= filters.count,
            "only \(countAtGoal) of \(filters.count) filters reach \(Self.goal)")
    }
}
