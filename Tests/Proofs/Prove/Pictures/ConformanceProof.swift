// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `prove conformance DIR …`: third-party effects load, compile and draw as their formats specify.
///
/// Takes every effect below the folders, in any of the five formats, and draws three frames of it
/// twice, each time from the start. Nothing is downloaded, and only the folders are read.
struct ConformanceProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Third-party effects load, compile and draw as their formats specify.")

    @Argument(help: "Folders with effects: ISF, gl-transitions, Shadertoy, mpv, GLSL.")
    var folders: [String]

    @Flag(help: "Checks every tenth effect.")
    var short = false

    @Flag(help: "Prints a line for every effect.")
    var verbose = false

    /// The effects of Vidvox/ISF-Files and gl-transitions that are not neutral, because of their
    /// authors' own arithmetic.
    private static let notNeutral: Set = [
        "Broken LCD.fs", "Dirty Lens.fs", "Edge Blowout.fs", "Hyperspace.fs", "Radial Replicate.fs",
        "AdvancedMosaic.glsl", "BlockDissolve.glsl", "InvertedPageCurl.glsl", "Radial.glsl",
        "tangentMotionBlur.glsl", "undulatingBurnOut.glsl",
    ]
    /// Effects that compute NaN by their authors' own arithmetic; the last two on NVIDIA's driver,
    /// by powers of negative numbers.
    private static let makingNaN: Set = [
        "Bad TV.fs", "Boxinator.fs", "Dirty Lens.fs", "Smudged Lens.fs",
    ]
    /// One code value of 8 bits.
    private static let tolerance = 1.001 / 255

    func run() throws {
        for folder in folders where ConformanceSubject.all(below: folder).isEmpty {
            throw CannotProve("conformance: \(folder): there are no effects")
        }
        let subjects = folders.flatMap { ConformanceSubject.all(below: $0) }
        let chosen =
            short
            ? subjects.enumerated().filter { $0.offset % 10 == 0 }.map(\.element)
            : subjects
        var report = Report("conformance")
        report.require(!chosen.isEmpty, "there are no effects")
        var results: [ConformanceResult] = []
        let bench = try ConformanceBench()
        for (index, subject) in chosen.enumerated() {
            Progress.show("\(index + 1) of \(chosen.count): \(subject.path)")
            let result = bench.result(of: subject)
            results.append(result)
            if verbose {
                Progress.clear()
                print("\(result.failures.isEmpty ? "passes" : "FAILS ") \(subject.path)")
            }
        }
        for format in EffectFormat.allCases {
            let some = results.filter { $0.format == format }
            guard !some.isEmpty else { continue }
            let passed = some.count { $0.failures.isEmpty }
            var text = "\(passed) of \(some.count) load, compile and draw equally, without an "
            text += "OpenGL error and without NaN"
            let biases = some.compactMap(\.bias)
            if !biases.isEmpty {
                text += "; \(biases.count { $0 <= Self.tolerance }) of \(biases.count) "
                text +=
                    format == .transition
                    ? "show the first image at 0 and the second at 1"
                    : "leave the image unchanged with inputs at their identity"
            }
            report.add(format.rawValue, text)
        }
        for result in results {
            let name = URL(filePath: result.path).lastPathComponent
            if let bias = result.bias, bias > Self.tolerance {
                report.add("is not neutral", String(format: "%@, by %.3f", result.path, bias))
                report.require(
                    Self.notNeutral.contains(name), "\(result.path): it must be neutral")
            }
            if result.makesNaN {
                report.add("calculates NaN, drawn as 0", result.path)
                report.require(Self.makingNaN.contains(name), "\(result.path): it computes NaN")
            }
        }
        for result in results {
            for failure in result.failures {
                report.require(false, "\(result.path): \(failure)")
            }
        }
        try report.finish()
    }
}
