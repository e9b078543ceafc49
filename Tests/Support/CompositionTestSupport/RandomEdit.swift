// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadCompositions
import PlayheadTime

/// An edit of a composition, and the resulting tracks.
struct RandomEdit {
    typealias Tracks = [(id: Int, type: MediaType, ticks: TickTrack)]

    var name: String
    /// The resulting tracks; nil if the edit is invalid.
    var model: Tracks?
    var perform: (MutableComposition) throws -> Void
}

extension EditHistory {
    /// Chooses the next edit.
    mutating func nextEdit() -> RandomEdit {
        if model.isEmpty { return addTrack() }
        if let long = model.map(\.ticks.count).max(), long > Self.longest {
            return removeEverywhere(number(0...20)..<(long - number(0...40)))
        }
        switch number(0...19) {
        case 0: return model.count < 4 ? addTrack() : removeTrack()
        case 1...4: return insertMedia()
        case 5: return insertPieces()
        case 6, 7: return insertOwnRange()
        case 8: return insertEmpty()
        case 9, 10: return remove()
        case 11...13: return scale()
        case 14: return removeEverywhere(place(within: duration))
        case 15: return scaleEverywhere()
        case 16: return insertAsset()
        case 17: return insertItself()
        case 18: return setSegments()
        default: return invalid()
        }
    }

    private var duration: Int { model.map(\.ticks.count).max() ?? 0 }

    private mutating func anyTrack() -> Int { number(0...(model.count - 1)) }

    /// Returns a nonempty range, which may extend beyond the end.
    private mutating func place(within count: Int) -> Range<Int> {
        let start = number(0...(count + 3))
        return start..<(start + number(1...max(4, count / 2)))
    }

    private mutating func part(of range: Range<Int>) -> Range<Int> {
        let start = number(range.lowerBound...(range.upperBound - 1))
        return start..<number((start + 1)...range.upperBound)
    }

    private static func track(_ id: Int, of composition: MutableComposition) throws
        -> MutableCompositionTrack
    {
        guard let track = composition.mutableTracks.first(where: { $0.trackID == id }) else {
            throw UnexpectedAcceptance()
        }
        return track
    }

    private struct UnexpectedAcceptance: Error {}

    // MARK: - Tracks

    private mutating func addTrack() -> RandomEdit {
        let type: MediaType = number(0...1) == 0 ? .video : .audio
        var model = model
        model.append(((usedIDs.max() ?? 0) + 1, type, TickTrack()))
        return RandomEdit(name: "add a track", model: model) { composition in
            _ = try composition.addMutableTrack(withMediaType: type)
        }
    }

    private mutating func removeTrack() -> RandomEdit {
        let index = anyTrack()
        let id = model[index].id
        var model = model
        model.remove(at: index)
        return RandomEdit(name: "remove track \(id)", model: model) { composition in
            try composition.removeTrack(try Self.track(id, of: composition))
        }
    }

    // MARK: - Insertions into a track

    private mutating func insertMedia() -> RandomEdit {
        let index = anyTrack()
        let (id, type, ticks) = model[index]
        let number = number(0...(sources.count - 1))
        let source = sources[number]
        let part = part(of: source.media)
        let isAppended = self.number(0...3) == 0
        let place = isAppended ? ticks.count : self.number(0...(ticks.count + 5))
        let time = isAppended ? MediaTime.invalid : time(place)
        let range = range(part)
        var result: RandomEdit.Tracks?
        if source.track.mediaType == type {
            var model = model
            model[index].ticks.replace(place..<place, by: TickTrack.media(number, part))
            result = model
        }
        return RandomEdit(name: "insert \(part) at \(place)", model: result) { composition in
            try Self.track(id, of: composition).insertTimeRange(
                range, of: source.track, in: source.asset, at: time)
        }
    }

    private mutating func insertPieces() -> RandomEdit {
        let index = anyTrack()
        let (id, type, _) = model[index]
        var pieces: [CompositionPiece] = []
        var ticks: [TickTrack.Tick?] = []
        for _ in 0..<number(1...4) {
            if number(0...3) == 0 {
                let count = number(0...6)
                pieces.append(.empty(duration: time(count)))
                ticks += Array(repeating: nil, count: count)
                continue
            }
            let number = type == .video ? 2 * number(0...1) : 2 * number(0...1) + 1
            let part = part(of: sources[number].media)
            let source = sources[number]
            pieces.append(.media(source.asset, track: source.track, timeRange: range(part)))
            ticks += TickTrack.media(number, part)
        }
        let place = number(0...(model[index].ticks.count + 3))
        var result = model
        result[index].ticks.replace(place..<place, by: ticks)
        let time = time(place)
        return RandomEdit(name: "insert pieces at \(place)", model: result) {
            [pieces] composition in
            try Self.track(id, of: composition).insert(pieces, at: time)
        }
    }

    private mutating func insertOwnRange() -> RandomEdit {
        let (index, other) = (anyTrack(), anyTrack())
        let id = model[index].id
        let (otherID, otherType, otherTicks) = model[other]
        guard otherTicks.count > 0 else { return insertEmpty() }
        let part = part(of: 0..<min(otherTicks.count, 80))
        let place = number(0...(model[index].ticks.count + 3))
        var result: RandomEdit.Tracks?
        if model[index].type == otherType {
            var model = model
            model[index].ticks.replace(place..<place, by: otherTicks.slice(part))
            result = model
        }
        let (range, time) = (range(part), time(place))
        return RandomEdit(
            name: "insert \(part) of track \(otherID) at \(place)", model: result
        ) { composition in
            try Self.track(id, of: composition).insertTimeRange(
                range, of: try Self.track(otherID, of: composition), at: time)
        }
    }

    private mutating func insertEmpty() -> RandomEdit {
        let index = anyTrack()
        let id = model[index].id
        let place = number(0...(model[index].ticks.count + 3))
        let count = number(0...8)
        var model = model
        model[index].ticks.replace(place..<place, by: Array(repeating: nil, count: count))
        let range = range(place..<(place + count))
        return RandomEdit(name: "insert nothing at \(place)", model: model) { composition in
            try Self.track(id, of: composition).insertEmptyTimeRange(range)
        }
    }

    // MARK: - Other edits of a track

    private mutating func remove() -> RandomEdit {
        let index = anyTrack()
        let id = model[index].id
        let place = place(within: model[index].ticks.count)
        var model = model
        model[index].ticks.replace(place, by: [])
        let range = range(place)
        return RandomEdit(name: "remove \(place)", model: model) { composition in
            try Self.track(id, of: composition).removeTimeRange(range)
        }
    }

    private mutating func scale() -> RandomEdit {
        let index = anyTrack()
        let id = model[index].id
        let place = place(within: model[index].ticks.count)
        let length = scaledLength(of: place, in: [model[index].ticks])
        var model = model
        _ = model[index].ticks.scale(place, to: length)
        let (range, duration) = (range(place), time(length))
        return RandomEdit(name: "scale \(place) to \(length)", model: model) { composition in
            try Self.track(id, of: composition).scaleTimeRange(range, toDuration: duration)
        }
    }

    /// Returns a length for which segments begin at whole ticks.
    private mutating func scaledLength(of range: Range<Int>, in tracks: [TickTrack]) -> Int {
        let candidate = number(1...(2 * range.count))
        let fits = tracks.allSatisfy { track in
            var track = track
            return track.scale(range, to: candidate)
        }
        return fits ? candidate : range.count * number(1...2)
    }

    private mutating func setSegments() -> RandomEdit {
        let index = anyTrack()
        let id = model[index].id
        // The same segments in another order, sometimes with one that does not fit.
        let runs = model[index].ticks.runs.shuffled(using: &random)
        var ticks: [TickTrack.Tick?] = []
        for run in runs { ticks += model[index].ticks.slice(run.first..<(run.first + run.count)) }
        let isValid = number(0...3) > 0 || runs.isEmpty
        let gap = time(1)
        var result: RandomEdit.Tracks?
        if isValid {
            var model = model
            var track = TickTrack()
            track.replace(0..<0, by: ticks)
            model[index].ticks = track
            result = model
        }
        let order = runs.map(\.first)
        let originals = model[index].ticks.runs.map(\.first)
        return RandomEdit(name: "set segments", model: result) { composition in
            let track = try Self.track(id, of: composition)
            var segments: [CompositionTrackSegment] = []
            var end = isValid ? MediaTime.zero : gap
            for first in order {
                guard let position = originals.firstIndex(of: first) else { continue }
                let old = track.segments[position]
                let target = MediaTimeRange(start: end, duration: old.timeMapping.target.duration)
                if let asset = old.asset, let source = old.sourceTrack {
                    segments.append(
                        CompositionTrackSegment(
                            asset: asset, track: source,
                            sourceTimeRange: old.timeMapping.source, targetTimeRange: target))
                } else {
                    segments.append(CompositionTrackSegment(emptyTimeRange: target))
                }
                end = target.end
            }
            try track.setSegments(segments)
        }
    }

    // MARK: - Edits of all tracks

    private mutating func removeEverywhere(_ place: Range<Int>) -> RandomEdit {
        var model = model
        for index in model.indices { model[index].ticks.replace(place, by: []) }
        let range = range(place)
        return RandomEdit(name: "remove \(place) everywhere", model: model) { composition in
            try composition.removeTimeRange(range)
        }
    }

    private mutating func scaleEverywhere() -> RandomEdit {
        let place = place(within: duration)
        let length = scaledLength(of: place, in: model.map(\.ticks))
        var model = model
        for index in model.indices { _ = model[index].ticks.scale(place, to: length) }
        let (range, time) = (range(place), time(length))
        return RandomEdit(name: "scale \(place) to \(length) everywhere", model: model) {
            try $0.scaleTimeRange(range, toDuration: time)
        }
    }

    private mutating func insertAsset() -> RandomEdit {
        let number = number(0...1)
        let description = descriptions[number]
        let pair = [2 * number, 2 * number + 1]
        let part = part(of: 0..<(pair.map { sources[$0].media.upperBound }.max() ?? 1))
        let place = self.number(0...(duration + 3))
        let parts = pair.map { index -> (MediaType, [TickTrack.Tick?]) in
            let media = part.clamped(to: sources[index].media)
            guard !media.isEmpty else {
                return (sources[index].track.mediaType, Array(repeating: nil, count: part.count))
            }
            let lead = media.lowerBound - part.lowerBound
            let tail = part.upperBound - media.upperBound
            return (
                sources[index].track.mediaType,
                Array(repeating: nil, count: lead) + TickTrack.media(index, media)
                    + Array(repeating: nil, count: tail)
            )
        }
        let (range, time) = (range(part), time(place))
        let asset = sources[pair[0]].asset
        let hasMedia = parts.contains { $0.1.contains { $0 != nil } }
        return RandomEdit(
            name: "insert \(part) of asset \(number) at \(place)",
            model: hasMedia ? inserting(parts, part.count, at: place) : nil
        ) { composition in
            try composition.insertTimeRange(range, of: asset, describedBy: description, at: time)
        }
    }

    private mutating func insertItself() -> RandomEdit {
        guard duration > 0 else { return insertEmpty() }
        let part = part(of: 0..<min(duration, 60))
        let place = number(0...(duration + 3))
        let (range, time) = (range(part), time(place))
        let parts = model.map { ($0.type, $0.ticks.slice(part)) }
        return RandomEdit(
            name: "insert \(part) of itself at \(place)",
            model: inserting(parts, part.count, at: place)
        ) { composition in
            try composition.insertTimeRange(range, of: composition, at: time)
        }
    }

    /// Returns the tracks after parts have been inserted into the first tracks of their types.
    private func inserting(
        _ parts: [(MediaType, [TickTrack.Tick?])], _ count: Int, at place: Int
    ) -> RandomEdit.Tracks {
        var model = model
        var free = Set(model.indices)
        var added: RandomEdit.Tracks = []
        for (type, ticks) in parts {
            if let index = free.sorted().first(where: { model[$0].type == type }) {
                free.remove(index)
                model[index].ticks.replace(place..<place, by: ticks)
            } else if ticks.contains(where: { $0 != nil }) {
                var track = TickTrack()
                track.replace(place..<place, by: ticks)
                added.append(((usedIDs.max() ?? 0) + 1 + added.count, type, track))
            }
        }
        for index in free {
            model[index].ticks.replace(place..<place, by: Array(repeating: nil, count: count))
        }
        return model + added
    }

    // MARK: - Invalid edits

    private mutating func invalid() -> RandomEdit {
        let source = sources[number(0...(sources.count - 1))]
        let id = model[anyTrack()].id
        let second = MediaTime(value: 1, timescale: 1)
        let good = EditHistory.range(source.media, tick)
        let long = MediaTimeRange(start: good.start, duration: good.duration + second)
        let ranges: [MediaTimeRange] = [
            long, MediaTimeRange(start: good.start, duration: .zero),
            MediaTimeRange(start: good.start, duration: -good.duration),
            MediaTimeRange(start: good.start, duration: .positiveInfinity),
            MediaTimeRange(start: -second, duration: second), .invalid, .all,
            MediaTimeRange(start: .zero, duration: .indefinite),
        ]
        let times: [MediaTime] = [-second, .positiveInfinity, .negativeInfinity, .indefinite]
        let time = times.randomElement(using: &random) ?? -second
        let range = ranges.randomElement(using: &random) ?? long
        let perform: (MutableComposition) throws -> Void
        switch number(0...4) {
        case 0:
            perform = {
                try Self.track(id, of: $0).insertTimeRange(
                    range, of: source.track, in: source.asset, at: .zero)
            }
        case 1:
            perform = {
                try Self.track(id, of: $0).insertTimeRange(
                    good, of: source.track, in: source.asset, at: time)
            }
        case 2:
            perform = {
                try $0.removeTimeRange(MediaTimeRange(start: time, duration: second))
            }
        case 3:
            perform = {
                try $0.scaleTimeRange(
                    MediaTimeRange(start: .zero, duration: second), toDuration: time)
            }
        default:
            // Only the last piece is invalid.
            perform = {
                try Self.track(id, of: $0).insert(
                    [
                        .empty(duration: second),
                        .media(source.asset, track: source.track, timeRange: range),
                    ], at: .zero)
            }
        }
        return RandomEdit(name: "an invalid edit", model: nil, perform: perform)
    }
}
