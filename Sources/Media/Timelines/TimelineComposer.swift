// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadBuffers
package import PlayheadCompositions
import PlayheadTime
package import PlayheadVideoCompositions

/// A composer that creates a composition from a timeline whose media has been opened.
///
/// Every track has the duration that the timeline states. Black fills gaps in video, and a
/// placeholder replaces missing media. If a clip extends beyond its media, the nearest frame of the
/// media is shown.
package struct TimelineComposer {
    /// The result of opening the media of a clip.
    package typealias Opened = Swift.Result<
        (asset: Asset, description: AssetDescription), MediaError
    >
    /// A function that creates the asset of an image with a given size.
    package typealias MakeStill = (StillImage, _ width: Int, _ height: Int) -> Asset

    private let timeline: Timeline
    private let opened: [TimelineMedia: Opened]
    private let makeStill: MakeStill
    private let size: (width: Int, height: Int)
    private var stills: [StillImage: CompositionSource] = [:]
    private var sources: [Key: CompositionSource] = [:]
    private var notes: [TimelineNote] = []
    private var noted: Set<TimelineNote> = []

    private struct Key: Hashable {
        var media: TimelineMedia
        var type: MediaType
    }

    /// The frame size of a timeline if none of its media can be opened.
    private static let standardSize = (width: 1280, height: 720)
    /// The range of speeds at which audio can be resampled.
    private static let audioSpeeds = 0.03...30

    private init(
        _ timeline: Timeline, _ opened: [TimelineMedia: Opened], _ makeStill: @escaping MakeStill
    ) {
        self.timeline = timeline
        self.opened = opened
        self.makeStill = makeStill
        let videos = timeline.tracks.filter { $0.mediaType == .video }.flatMap(\.clips)
        let track = videos.lazy.compactMap { clip -> AssetTrack? in
            guard case .success(let media) = opened[clip.media] else { return nil }
            return media.description.preferredTrack(of: .video)
        }.first
        let video = track?.formatDescription.video
        size =
            video.map { video in
                let natural = track?.naturalSize ?? (width: 0, height: 0)
                let isTurned = video.attachments.orientation.swapsAxes
                let (width, height) = (Int(natural.width.rounded()), Int(natural.height.rounded()))
                return isTurned ? (max(height, 1), max(width, 1)) : (max(width, 1), max(height, 1))
            } ?? Self.standardSize
    }

    /// Returns the media to open, without duplicates, in the order of its use.
    package static func media(of timeline: Timeline) -> [TimelineMedia] {
        var (seen, result): (Set<TimelineMedia>, [TimelineMedia]) = ([], [])
        for clip in timeline.tracks.flatMap(\.clips) where clip.media.isOpened {
            if seen.insert(clip.media).inserted { result.append(clip.media) }
        }
        return result
    }

    /// A composition, the rules for its transitions, and the differences from the timeline in the
    /// file.
    package struct Result {
        package var composition: MutableComposition
        /// The rules for the transitions; nil if there is no transition that can be shown.
        package var videoComposition: VideoComposition?
        /// The pairs of audio tracks with transitions.
        package var crossfades: [AudioCrossfade]
        /// The notes of the timeline, followed by those from composing it.
        package var notes: [TimelineNote]
    }

    /// Returns the composition of a timeline.
    package static func composition(
        of timeline: Timeline, opened: [TimelineMedia: Opened], makeStill: @escaping MakeStill
    ) throws(CompositionError) -> Result {
        var composer = TimelineComposer(timeline, opened, makeStill)
        let composition = MutableComposition()
        var rules: VideoComposition?
        var crossfades: [AudioCrossfade] = []
        for track in timeline.tracks {
            if let lanes = TimelineLanes(track, duration: timeline.duration) {
                if track.mediaType == .video {
                    rules = try composer.add(lanes, to: composition)
                } else {
                    crossfades.append(try composer.addAudio(lanes, to: composition))
                }
                continue
            }
            let segments = composer.segments(of: track)
            let target = try composition.addMutableTrack(withMediaType: track.mediaType)
            try target.setSegments(segments)
        }
        return Result(
            composition: composition, videoComposition: rules, crossfades: crossfades,
            notes: timeline.notes + composer.notes)
    }

    // MARK: - Transitions

    /// Adds two tracks of video that overlap during transitions.
    private mutating func add(
        _ lanes: TimelineLanes, to composition: MutableComposition
    ) throws(CompositionError) -> VideoComposition {
        for note in lanes.notes where noted.insert(note).inserted { notes.append(note) }
        var tracks: [MutableCompositionTrack] = []
        for _ in lanes.clips {
            tracks.append(try composition.addMutableTrack(withMediaType: .video))
        }
        var rules = OverlappingClips(
            trackIDs: tracks.map(\.trackID), renderSize: size,
            frameDuration: frameDuration(of: lanes.clips.flatMap { $0 }))
        for (index, clips) in lanes.clips.enumerated() {
            var segments: [CompositionTrackSegment] = []
            var position = MediaTime.zero
            for clip in clips {
                // Between the clips of a lane, the other lane is shown.
                if clip.timeRange.start > position {
                    segments.append(
                        CompositionTrackSegment(
                            emptyTimeRange: MediaTimeRange(
                                start: position, end: clip.timeRange.start)))
                    position = clip.timeRange.start
                }
                for (source, part, end) in parts(of: clip, .video) where end > position {
                    if let source {
                        rules.add(source.track.uprightSize, onTrack: index, at: position)
                    }
                    segments.append(
                        segment(source, part, MediaTimeRange(start: position, end: end)))
                    position = end
                }
            }
            if index == lanes.lastLane {
                fill(to: timeline.duration, &position, .video, &segments)
            }
            try tracks[index].setSegments(segments)
        }
        for overlap in lanes.overlaps { rules.add(overlap.kind, in: overlap.timeRange) }
        return rules.videoComposition(duration: composition.duration)
    }

    /// Adds two tracks of audio that overlap during transitions.
    private mutating func addAudio(
        _ lanes: TimelineLanes, to composition: MutableComposition
    ) throws(CompositionError) -> AudioCrossfade {
        for note in lanes.notes where noted.insert(note).inserted { notes.append(note) }
        var ids: [Int] = []
        for clips in lanes.clips {
            let track = try composition.addMutableTrack(withMediaType: .audio)
            ids.append(track.trackID)
            var segments: [CompositionTrackSegment] = []
            var position = MediaTime.zero
            for clip in clips {
                fill(to: clip.timeRange.start, &position, .audio, &segments)
                for (source, part, end) in parts(of: clip, .audio) where end > position {
                    segments.append(
                        segment(source, part, MediaTimeRange(start: position, end: end)))
                    position = end
                }
            }
            try track.setSegments(segments)
        }
        return AudioCrossfade(trackIDs: ids, timeRanges: lanes.overlaps.map(\.timeRange))
    }

    /// Returns the duration of a frame at the highest frame rate that any of the clips has.
    private func frameDuration(of clips: [TimelineClip]) -> MediaTime {
        let durations = clips.compactMap { clip -> MediaTime? in
            if case .success(let media) = opened[clip.media],
                let own = media.description.preferredTrack(of: .video)?.frameDuration,
                own.isNumeric, own > .zero
            {
                return own
            }
            return clip.frameDuration
        }
        return durations.filter { $0.isNumeric && $0 > .zero }.min()
            ?? MediaTime(value: 1, timescale: 30)
    }

    // MARK: - Tracks

    private mutating func segments(of track: TimelineTrack) -> [CompositionTrackSegment] {
        var segments: [CompositionTrackSegment] = []
        var position = MediaTime.zero
        for clip in track.clips {
            fill(to: clip.timeRange.start, &position, track.mediaType, &segments)
            for (source, part, end) in parts(of: clip, track.mediaType) where end > position {
                let target = MediaTimeRange(start: position, end: end)
                segments.append(segment(source, part, target))
                position = end
            }
            fill(to: clip.timeRange.end, &position, track.mediaType, &segments)
        }
        if track.mediaType == .video {
            fill(to: timeline.duration, &position, .video, &segments)
        }
        return segments
    }

    /// Adds a segment in which nothing is shown or heard.
    private mutating func fill(
        to end: MediaTime, _ position: inout MediaTime, _ mediaType: MediaType,
        _ segments: inout [CompositionTrackSegment]
    ) {
        guard end > position else { return }
        let target = MediaTimeRange(start: position, end: end)
        position = end
        segments.append(
            mediaType == .video
                ? segment(still(.black), nil, target)
                : CompositionTrackSegment(emptyTimeRange: target))
    }

    private func segment(
        _ source: CompositionSource?, _ part: MediaTimeRange?, _ target: MediaTimeRange
    ) -> CompositionTrackSegment {
        guard let source else { return CompositionTrackSegment(emptyTimeRange: target) }
        let whole = MediaTimeRange(
            start: .zero, duration: min(target.duration, StillAsset.duration))
        return CompositionTrackSegment(
            source: source, MediaTimeMapping(source: part ?? whole, target: target))
    }

    // MARK: - Clips

    /// A source, the part of it that plays, and the time at which the part ends. The part is nil
    /// for a still. The source is nil for silence.
    private typealias Part = (source: CompositionSource?, part: MediaTimeRange?, end: MediaTime)

    private mutating func parts(of clip: TimelineClip, _ mediaType: MediaType) -> [Part] {
        let end = clip.timeRange.end
        if case .generator(let kind) = clip.media {
            return [(mediaType == .video ? still(StillImage(generator: kind)) : nil, nil, end)]
        }
        guard let media = media(of: clip, mediaType) else {
            return [(placeholder(for: clip, mediaType), nil, end)]
        }
        let (source, description) = media
        if description.isStill, !clip.media.isSequence {
            let still = MediaTimeRange(start: .zero, duration: TimelineMedia.stillDuration)
            return [(source, still, end)]
        }
        let available = availableRange(of: clip, source, description)
        let frame =
            source.track.frameDuration.isNumeric && source.track.frameDuration > .zero
            ? source.track.frameDuration : clip.frameDuration
        var wanted = wantedRange(of: clip, description, source.track)
        if case .images(let files) = clip.media, let available {
            // Images are read at one fixed rate, regardless of the rate of the clip.
            let whole = MediaTimeRange(
                start: .zero,
                duration: MediaTime(
                    value: Int64(files.count) * clip.frameDuration.value,
                    timescale: clip.frameDuration.timescale))
            let start = TimelineTime.mapped(wanted.start, from: whole, to: available)
            let end = TimelineTime.mapped(wanted.end, from: whole, to: available)
            wanted = MediaTimeRange(start: start, end: end)
        }
        if wanted.duration == .zero {
            return frozen(clip, source, wanted.start, available ?? .unlimited, frame)
        }
        let speed = wanted.duration.seconds / clip.timeRange.duration.seconds
        if mediaType == .audio, !Self.audioSpeeds.contains(speed) {
            note(clip, "its audio cannot be played at \(speed) times its speed; it is silent")
            return [(nil, nil, end)]
        }
        return parts(of: clip, source, wanted, available ?? wanted, frame, mediaType)
    }

    /// Returns the parts that play a clip. Where the clip extends beyond the existing media, the
    /// first or the last frame is held.
    private mutating func parts(
        of clip: TimelineClip, _ source: CompositionSource, _ wanted: MediaTimeRange,
        _ available: MediaTimeRange, _ frame: MediaTime, _ mediaType: MediaType
    ) -> [Part] {
        let target = clip.timeRange
        let part = wanted.intersection(available)
        guard part.isValid, part.duration > .zero else {
            note(
                clip,
                "it plays \(Self.text(wanted)) of its media, which has \(Self.text(available)); "
                    + "a placeholder is shown")
            return [(placeholder(for: clip, mediaType), nil, target.end)]
        }
        let isVideo = mediaType == .video
        let (missingHead, missingTail) = (part.start - wanted.start, wanted.end - part.end)
        if max(missingHead, missingTail) > frame {
            note(
                clip,
                "it plays \(Self.text(wanted)) of its media, which has \(Self.text(available)); "
                    + (isVideo ? "the nearest frame is held" : "the rest is silent"))
        }
        var parts: [Part] = []
        let length = min(frame, available.duration)
        if missingHead > .zero {
            let edge = TimelineTime.mapped(part.start, from: wanted, to: target)
            let first = MediaTimeRange(start: available.start, duration: length)
            parts.append((isVideo ? source : nil, isVideo ? first : nil, edge))
        }
        let edge =
            missingTail > .zero
            ? TimelineTime.mapped(part.end, from: wanted, to: target) : target.end
        parts.append((source, part, edge))
        if missingTail > .zero {
            let last = MediaTimeRange(start: available.end - length, duration: length)
            parts.append((isVideo ? source : nil, isVideo ? last : nil, target.end))
        }
        return parts
    }

    /// Returns a frame that is held for the whole clip. Its audio is silent.
    private func frozen(
        _ clip: TimelineClip, _ source: CompositionSource, _ time: MediaTime,
        _ available: MediaTimeRange, _ frame: MediaTime
    ) -> [Part] {
        guard source.track.mediaType == .video else { return [(nil, nil, clip.timeRange.end)] }
        // The duration is so short that no second frame begins in it.
        let length = TimelineTime.scaled(frame, by: 1 / 8)
        let last = max(available.start, available.end - length)
        let start = min(max(time, available.start), last)
        return [
            (
                source, MediaTimeRange(start: start, end: min(start + length, available.end)),
                clip.timeRange.end
            )
        ]
    }

    /// Returns the time range in which the source has media; nil if unknown.
    private func availableRange(
        of clip: TimelineClip, _ source: CompositionSource, _ description: AssetDescription
    ) -> MediaTimeRange? {
        let track = source.track
        if case .images(let files) = clip.media {
            guard track.frameDuration.isNumeric, let count = Int32(exactly: files.count) else {
                return nil
            }
            return MediaTimeRange(start: .zero, duration: track.frameDuration * count)
        }
        var range = source.mediaRange ?? track.timeRange
        if !range.start.isNumeric { range.start = description.startTime }
        if !range.duration.isNumeric { range.duration = description.duration }
        guard range.start.isNumeric, range.duration.isNumeric, range.duration > .zero else {
            return nil
        }
        return Self.aligned(range)
    }

    /// Returns the part of the file that a clip refers to, in times of the file's own clock.
    private func wantedRange(
        of clip: TimelineClip, _ description: AssetDescription, _ track: AssetTrack
    ) -> MediaTimeRange {
        var range = clip.mediaTimeRange
        range.start = TimelineTime.aligned(range.start)
        range.duration = TimelineTime.aligned(range.duration)
        let fileStart = TimelineTime.aligned(description.startTime)
        if let start = clip.availableTimeRange?.start {
            // If the file's own clock begins at the start of the available range, no conversion is
            // needed.
            let isOwnClock =
                start != .zero && abs((track.timeRange.start - start).seconds) < 0.05
            if !isOwnClock { range.start = range.start - start + fileStart }
        } else if let timecode = track.startTimecode(in: description), range.start >= timecode {
            range.start = range.start - timecode + fileStart
        }
        return range
    }

    // MARK: - Sources

    private mutating func media(
        of clip: TimelineClip, _ mediaType: MediaType
    ) -> (CompositionSource, AssetDescription)? {
        guard clip.media.isOpened else { return nil }
        let description: AssetDescription
        let asset: Asset
        switch opened[clip.media] {
        case .success(let media): (asset, description) = media
        case .failure(let error):
            note(clip, "\(error); a placeholder is shown")
            return nil
        case nil: return nil
        }
        let key = Key(media: clip.media, type: mediaType)
        if let source = sources[key] { return (source, description) }
        guard let track = description.preferredTrack(of: mediaType), !track.isEncrypted else {
            note(clip, "\(asset.subject) has no \(mediaType.rawValue) that can be played")
            return nil
        }
        let source = CompositionSource(asset: asset, track: track, description: description)
        sources[key] = source
        return (source, description)
    }

    private mutating func placeholder(
        for clip: TimelineClip, _ mediaType: MediaType
    ) -> CompositionSource? {
        mediaType == .video ? still(.placeholder(text: clip.name)) : nil
    }

    private mutating func still(_ image: StillImage) -> CompositionSource? {
        if let source = stills[image] { return source }
        let asset = makeStill(image, size.width, size.height)
        let demuxer = try? asset.openDemuxer(cancellation: Cancellation())
        guard let description = demuxer?.description, let track = description.tracks.first else {
            return nil
        }
        let source = CompositionSource(asset: asset, track: track, description: description)
        stills[image] = source
        return source
    }

    // MARK: - Values

    /// Returns the largest range within `range` that begins and ends at whole units of time.
    private static func aligned(_ range: MediaTimeRange) -> MediaTimeRange {
        let start = TimelineTime.aligned(range.start, method: .roundTowardPositiveInfinity)
        let end = TimelineTime.aligned(range.end, method: .roundTowardNegativeInfinity)
        return MediaTimeRange(start: start, end: end)
    }

    private static func text(_ range: MediaTimeRange) -> String {
        "\(range.start.clockDescription) to \(range.end.clockDescription)"
    }

    private mutating func note(_ clip: TimelineClip, _ text: String) {
        let note = TimelineNote(place: clip.place, text: text)
        if noted.insert(note).inserted { notes.append(note) }
    }
}

extension TimelineMedia {
    /// A Boolean value that indicates whether the media has to be opened.
    fileprivate var isOpened: Bool {
        switch self {
        case .location, .archive, .images: true
        case .generator, .missing: false
        }
    }

    fileprivate var isSequence: Bool { if case .images = self { true } else { false } }
}

extension AssetTrack {
    /// Returns the timecode of the file's first frame, in seconds; nil if there is no timecode.
    fileprivate func startTimecode(in description: AssetDescription) -> MediaTime? {
        let items = metadata + description.metadata + description.tracks.flatMap(\.metadata)
        guard let text = items.first(where: { $0.key.lowercased() == "timecode" })?.stringValue,
            frameDuration.isNumeric, frameDuration > .zero
        else { return nil }
        let numbers = text.split { ":;.".contains($0) }.compactMap { Int64($0) }
        guard numbers.count == 4, numbers.allSatisfy({ (0..<100_000).contains($0) }) else {
            return nil
        }
        let perSecond = Int64((1 / frameDuration.seconds).rounded())
        let minutes = numbers[0] * 60 + numbers[1]
        var frames = (minutes * 60 + numbers[2]) * perSecond + numbers[3]
        if text.contains(";"), perSecond % 30 == 0 {
            frames -= perSecond / 15 * (minutes - minutes / 10)
        }
        return TimelineTime.aligned(
            MediaTime(value: frames * frameDuration.value, timescale: frameDuration.timescale))
    }
}

extension MediaTimeRange {
    /// The time range that is assumed for media whose duration is unknown: one day.
    fileprivate static let unlimited = MediaTimeRange(start: .zero, duration: StillAsset.duration)
}
