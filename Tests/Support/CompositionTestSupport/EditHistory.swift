// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadCompositions
import PlayheadTime

/// Random edits of a composition. After each edit the composition must equal an array for each
/// track.
///
/// Some of the edits are invalid, and some lead to times that no `MediaTime` can represent. They
/// must throw, the latter `notExact`, and leave the composition unchanged.
package struct EditHistory {
    /// The numbers of edits by result.
    package struct Counts: Sendable {
        package var edits = 0
        package var refused = 0
        package var inexact = 0

        package init() {}
    }

    /// A track of an asset, with the ticks at which it has media.
    struct Source {
        var asset: Asset
        var track: AssetTrack
        var media: Range<Int>
    }

    let seed: UInt64
    var random: SplitMix64
    let composition = MutableComposition()
    var model: [(id: Int, type: MediaType, ticks: TickTrack)] = []
    var usedIDs: Set<Int> = []
    let sources: [Source]
    let descriptions: [AssetDescription]
    /// The length of a tick, in seconds.
    let tick: (value: Int64, timescale: Int32)
    package private(set) var counts = Counts()

    private static let tickLengths: [(Int64, Int32)] = [
        (1, 600), (1001, 30000), (1, 48000), (1, 25), (1001, 24000), (7, 90000),
        (7, 268_000_003), (1, 240_000_000),
    ]
    /// The maximum length of a track, in ticks; longer ones are cut.
    static let longest = 300

    package init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        let tick = Self.tickLengths.randomElement(using: &random) ?? (1, 600)
        self.tick = tick
        var sources: [Source] = []
        var descriptions: [AssetDescription] = []
        for ranges in [[0..<90, 0..<80], [5..<60, 0..<62]] {
            let asset = SyntheticAsset()
            var tracks: [AssetTrack] = []
            for (index, (type, media)) in zip([MediaType.video, .audio], ranges).enumerated() {
                let track = AssetTrack(
                    id: index, mediaType: type, formatDescription: FormatDescription(codec: "none"),
                    timeRange: Self.range(media, tick))
                tracks.append(track)
                sources.append(Source(asset: asset, track: track, media: media))
            }
            let end = ranges.map(\.upperBound).max() ?? 0
            descriptions.append(
                AssetDescription(
                    container: "none", duration: Self.range(0..<end, tick).duration, tracks: tracks)
            )
        }
        self.sources = sources
        self.descriptions = descriptions
    }

    /// Makes edits.
    ///
    /// - Returns: the first difference; nil if they are equal.
    package mutating func firstDifference(edits: Int) -> String? {
        for number in 0..<edits {
            let before = composition.tracks.map(\.segments)
            let edit = nextEdit()
            counts.edits += 1
            let expectation = edit.model.map { $0.allSatisfy { isExact($0.ticks) } }
            var thrown: CompositionError?
            do {
                try edit.perform(composition)
            } catch let error as CompositionError {
                thrown = error
            } catch {
                return "seed \(seed), edit \(number), \(edit.name): \(error)"
            }
            let place = "seed \(seed), edit \(number), \(edit.name)"
            switch (expectation, thrown) {
            case (true?, nil):
                model = edit.model ?? model
                usedIDs.formUnion(model.map(\.id))
            case (true?, let error?): return "\(place): throws \(error)"
            case (false?, let error?) where error.code == .notExact: counts.inexact += 1
            case (nil, let error?) where error.code != .notExact: counts.refused += 1
            case (_, let error): return "\(place): \(error.map(\.description) ?? "is accepted")"
            }
            if thrown != nil, composition.tracks.map(\.segments) != before {
                return "\(place): leaves a trace"
            }
            if let difference = difference() { return "\(place): \(difference)" }
        }
        return nil
    }

    // MARK: - Comparing

    /// Returns the difference between the composition and the model; nil if they are equal.
    private func difference() -> String? {
        let tracks = composition.mutableTracks
        guard tracks.map(\.trackID) == model.map(\.id) else {
            return "tracks \(tracks.map(\.trackID)), not \(model.map(\.id))"
        }
        for (track, expected) in zip(tracks, model) {
            let (segments, runs) = (track.segments, expected.ticks.runs)
            guard segments.count == runs.count else {
                return "track \(expected.id) has \(segments.count) segments, not \(runs.count)"
            }
            for (segment, run) in zip(segments, runs) where !equals(segment, run) {
                return "track \(expected.id): \(segment.timeMapping), not \(run)"
            }
            do {
                try track.validateSegments(segments)
            } catch {
                return "\(error)"
            }
        }
        return nil
    }

    private func equals(_ segment: CompositionTrackSegment, _ run: TickTrack.Run) -> Bool {
        let target = segment.timeMapping.target
        guard equals(target.start, Fraction(Int128(run.first))),
            equals(target.duration, Fraction(Int128(run.count)))
        else { return false }
        guard let source = run.source else { return segment.isEmpty }
        return segment.asset === sources[source].asset
            && segment.sourceTrack?.id == sources[source].track.id
            && equals(segment.timeMapping.source.start, run.start)
            && equals(segment.timeMapping.source.duration, run.length)
    }

    private func equals(_ time: MediaTime, _ ticks: Fraction) -> Bool {
        time.isNumeric && !time.hasBeenRounded
            && Fraction(Int128(time.value), Int128(time.timescale)) == seconds(ticks)
    }

    /// Returns whether `MediaTime` can represent the edges and lengths of all segments.
    private func isExact(_ track: TickTrack) -> Bool {
        track.runs.allSatisfy { run in
            [run.start, run.length, run.start + run.length].map(seconds).allSatisfy {
                Int64(exactly: $0.numerator) != nil && Int32(exactly: $0.denominator) != nil
            }
        }
    }

    private func seconds(_ ticks: Fraction) -> Fraction {
        ticks * Fraction(Int128(tick.value), Int128(tick.timescale))
    }

    // MARK: - Times

    static func range(_ ticks: Range<Int>, _ tick: (Int64, Int32)) -> MediaTimeRange {
        MediaTimeRange(
            start: MediaTime(value: Int64(ticks.lowerBound) * tick.0, timescale: tick.1),
            duration: MediaTime(value: Int64(ticks.count) * tick.0, timescale: tick.1))
    }

    /// Returns the time of a number of ticks, in one of several timescales.
    mutating func time(_ ticks: Int) -> MediaTime {
        let factor = [1, 1, 2, 3, 8].randomElement(using: &random) ?? 1
        return MediaTime(
            value: Int64(ticks) * tick.value * Int64(factor),
            timescale: tick.timescale * Int32(factor))
    }

    mutating func range(_ ticks: Range<Int>) -> MediaTimeRange {
        MediaTimeRange(start: time(ticks.lowerBound), duration: time(ticks.count))
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}
