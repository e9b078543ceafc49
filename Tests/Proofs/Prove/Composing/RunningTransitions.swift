// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadEditing
import PlayheadUI

/// Third-party transitions between two videos that both run: each frame of the overlap must be what
/// the effect makes of the two frames on display, with a progress from 0 to 1.
struct RunningTransitions {
    /// The frames of the first video alone, and of the second video alone.
    private static let (before, after) = (2, 2)
    /// The frames of the overlap, and those of a longer one for transitions that show a video only
    /// for a short time.
    private static let (shortOverlap, longOverlap) = (6, 26)
    private static let size = (width: 64, height: 36)
    /// One code value of 8 bits.
    private static let tolerance = 1.001

    /// The transitions of gl-transitions that do not show one of the videos alone at an end,
    /// because of their authors' own arithmetic.
    private static let notNeutral: Set = [
        "AdvancedMosaic.glsl", "BlockDissolve.glsl", "InvertedPageCurl.glsl", "Radial.glsl",
        "tangentMotionBlur.glsl", "undulatingBurnOut.glsl",
    ]
    /// The transitions of ISF that were converted from earlier versions, which had other ends, and
    /// one that has them only with its image.
    private static let notNeutralInISF: Set = [
        "Butterfly Wave Scrawler.fs", "Luma Transition.fs", "Ripple Transition.fs",
    ]
    /// The transitions that show the first video only where their image is bright. They have none
    /// here.
    private static let onlySecond: Set = ["luma.glsl", "Luma Transition.fs"]

    private let films: [[PixelBuffer]]
    private let composition = MutableComposition()
    private let overlap: Int
    private var count: Int { Self.before + overlap + Self.after }

    init(overlap: Int = shortOverlap) throws {
        self.overlap = overlap
        films = [(0.0, Self.before + overlap), (0.37, overlap + Self.after)].map {
            seed, count in
            (0..<count).map { Self.picture(seed, moved: Double($0) * 0.09) }
        }
        for (index, film) in films.enumerated() {
            let track = try composition.addMutableTrack(withMediaType: .video)
            let start = index == 0 ? 0 : Self.before
            for (number, picture) in film.enumerated() {
                let still = StillAsset(
                    name: "still", width: Self.size.width, height: Self.size.height
                ) { _, _ in picture }
                try track.insertTimeRange(
                    MediaTimeRange(start: .zero, duration: Self.time(1)),
                    of: AssetReader(asset: still).description.tracks[0], in: still,
                    at: Self.time(start + number))
            }
        }
    }

    func check(_ paths: [String], short: Bool, _ report: inout Report) throws {
        let reference = try TransitionReference(
            width: Self.size.width, height: Self.size.height)
        let longer = try RunningTransitions(overlap: Self.longOverlap)
        var counts: [EffectFormat: (all: Int, neutral: Int)] = [:]
        var index = 0
        for path in paths {
            guard let effect = try? EffectLibrary.load(path), effect.kind == .transition else {
                continue
            }
            index += 1
            if short, index % 10 != 1 { continue }
            Progress.show("transition \(index): \(path)")
            let name = URL(filePath: path).lastPathComponent
            let pictures = try self.pictures(path)
            report.require(pictures.count == count, "\(name): \(pictures.count) pictures")
            guard pictures.count == count else { continue }
            var moves = try compare(effect, name, pictures, reference, &report)
            if moves.contains(false) {
                let more = try longer.pictures(path)
                report.require(more.count == longer.count, "\(name): \(more.count) pictures")
                moves = try longer.compare(effect, name, more, reference, &report)
            }
            report.require(
                moves[0] || Self.onlySecond.contains(name),
                "\(name): the first video does not move")
            report.require(moves[1], "\(name): the second video does not move")

            let worst = max(
                Self.difference(pictures[Self.before], films[0][Self.before]),
                Self.difference(pictures[Self.before + overlap - 1], films[1][overlap - 1]))
            let isNeutral = worst <= Self.tolerance
            counts[effect.format, default: (0, 0)].all += 1
            if isNeutral { counts[effect.format, default: (0, 0)].neutral += 1 }
            if !isNeutral {
                report.add("has its own formula at an end", "\(name), by \(Int(worst))/255")
                report.require(
                    Self.notNeutral.contains(Self.source(of: effect, name))
                        || Self.notNeutralInISF.contains(name),
                    "\(name): it must show the first video at 0 and the second at 1")
            }
        }
        for (format, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            report.add(
                format.rawValue,
                "\(count.all) transitions are the effect of the frames on display at every "
                    + "progress; \(count.neutral) show the first video at 0 and the second at 1")
        }
        report.require(!counts.isEmpty, "the folders contain no transitions")
    }

    /// Returns the name of the gl-transition from which a transition of ISF was converted, which
    /// states what it shows at its ends; the name of the transition itself for others.
    private static func source(of effect: Effect, _ name: String) -> String {
        guard effect.format == .isf, effect.credit.contains("gl-transitions") else { return name }
        return effect.credit.split(separator: "/").last.map(String.init) ?? name
    }

    /// Compares the pictures of the overlap with the output of the effect for the right frames.
    ///
    /// - Returns: For each video, whether the output for frames of it that stand still differs.
    private func compare(
        _ effect: Effect, _ name: String, _ pictures: [RGBAImage],
        _ reference: TransitionReference, _ report: inout Report
    ) throws -> [Bool] {
        var moves = [false, false]
        let steps = Double(overlap - 1)
        let running = EffectInstance(effect)
        for step in 0..<overlap {
            let shown = [films[0][Self.before + step], films[1][step]]
            let picture = pictures[Self.before + step]
            let seconds = Self.time(Self.before + step).seconds
            let progress = Double(step) / steps
            let expected = try reference.picture(
                running, from: shown[0], to: shown[1], progress: progress, seconds: seconds)
            let worst = Self.difference(picture, expected)
            report.require(
                worst <= Self.tolerance,
                "\(name): frame \(step) of the overlap differs by \(Int(worst))/255")
            guard step > 0, step < overlap - 1 else { continue }
            for side in 0..<2 where !moves[side] {
                var still = shown
                still[side] = side == 0 ? films[0][Self.before] : films[1][0]
                let frozen = try reference.picture(
                    EffectInstance(effect), from: still[0], to: still[1], progress: progress,
                    seconds: seconds)
                moves[side] = Self.difference(picture, frozen) > 2
            }
        }
        return moves
    }

    /// Returns the pictures of the whole composition.
    private func pictures(_ path: String) throws -> [RGBAImage] {
        let ids = composition.tracks.map(\.trackID)
        let (first, second) = (Self.before, Self.before + overlap)
        let layers = ids.map { VideoCompositionLayerInstruction(trackID: $0) }
        var rules = VideoComposition(renderSize: Self.size, frameDuration: Self.time(1))
        var mixture = VideoCompositionInstruction(
            timeRange: MediaTimeRange(start: Self.time(first), end: Self.time(second)),
            layerInstructions: layers)
        mixture.transition = VideoCompositionTransition(
            .effect(path), from: ids[0], to: ids[1])
        rules.instructions = [
            VideoCompositionInstruction(
                timeRange: MediaTimeRange(start: .zero, end: Self.time(first)),
                layerInstructions: [layers[0]]),
            mixture,
            VideoCompositionInstruction(
                timeRange: MediaTimeRange(
                    start: Self.time(second), duration: Self.time(Self.after)),
                layerInstructions: [layers[1]]),
        ]
        let reader = try AssetReader(asset: composition.makeAsset())
        let output = try reader.addVideoCompositionOutput(rules)
        var pictures: [RGBAImage] = []
        while let frame = try output.copyNextSampleBuffer() {
            pictures.append(CompositionEquality.image(frame.pixelBuffer))
        }
        return pictures
    }

    // MARK: - Values

    private static func time(_ frame: Int) -> MediaTime {
        MediaTime(value: Int64(frame), timescale: 10)
    }

    /// Returns the largest difference, in codes.
    private static func difference(_ image: RGBAImage, _ buffer: PixelBuffer) -> Double {
        difference(image, CompositionEquality.image(buffer).bytes.map { Double($0) })
    }

    private static func difference(_ image: RGBAImage, _ expected: [Double]) -> Double {
        zip(image.bytes, expected).reduce(0) { max($0, abs(Double($1.0) - $1.1)) }
    }

    /// Returns a frame of a pattern that moves diagonally. No part of the pattern stays the same.
    private static func picture(_ seed: Double, moved distance: Double) -> PixelBuffer {
        PixelBuffer(
            format: .rgba, width: size.width, height: size.height,
            attachments: PixelBufferAttachments(color: .picture(in: .bt709))
        ) { _, bytes, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let across = (Double(x) + 0.5) / Double(size.width) + distance
                    let down = (Double(y) + 0.5) / Double(size.height) - distance * 0.6
                    let color = [
                        0.5 + 0.5 * sin(9 * across + 40 * seed),
                        0.5 + 0.5 * cos(7 * down - 30 * seed),
                        0.5 + 0.5 * sin(20 * across) * cos(14 * down + 9 * seed), 1,
                    ]
                    for channel in 0..<4 {
                        bytes[y * bytesPerRow + x * 4 + channel] = UInt8(
                            (color[channel] * 255).rounded())
                    }
                }
            }
        }
    }
}
