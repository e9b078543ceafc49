// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import PlayheadVideoCompositions

/// The clips of a track, distributed to two lanes. The lane changes at each transition. The clip
/// before a transition is extended to the end of the transition, and the clip after it begins at
/// the start of the transition.
struct TimelineLanes {
    /// A transition that can be shown or heard.
    struct Overlap {
        var timeRange: MediaTimeRange
        var kind: VideoCompositionTransition.Kind
    }

    let mediaType: MediaType
    private(set) var clips: [[TimelineClip]] = [[], []]
    private(set) var overlaps: [Overlap] = []
    private(set) var notes: [TimelineNote] = []

    /// Creates lanes; nil if there is no transition that can be shown or heard.
    init?(_ track: TimelineTrack, duration: MediaTime) {
        guard track.mediaType == .video || track.mediaType == .audio else { return nil }
        mediaType = track.mediaType
        let cut = mediaType == .video ? "a cut is shown" : "there is a cut"
        var cuts: [(time: MediaTime, range: MediaTimeRange)] = []
        for transition in track.transitions {
            let before = track.clips.last { $0.timeRange.end == transition.cutTime }
            let after = track.clips.first { $0.timeRange.start == transition.cutTime }
            let wanted = transition.timeRange
            // If a clip is shorter than the transition, the transition is shortened.
            let earliest = max(before?.timeRange.start ?? .zero, cuts.last?.range.end ?? .zero)
            let latest = min(after?.timeRange.end ?? duration, duration)
            guard before != nil || after != nil, max(wanted.start, earliest) <= transition.cutTime,
                transition.cutTime <= min(wanted.end, latest)
            else {
                note(transition, track, "it is not between two clips; \(cut)")
                continue
            }
            let range = MediaTimeRange(
                start: max(wanted.start, earliest), end: min(wanted.end, latest))
            guard range.duration > .zero else {
                note(transition, track, "it has no duration; \(cut)")
                continue
            }
            if range != wanted {
                note(transition, track, "it is longer than a clip beside it; it is shortened")
            }
            cuts.append((transition.cutTime, range))
            overlaps.append(Overlap(timeRange: range, kind: kind(of: transition, track)))
        }
        guard !cuts.isEmpty else { return nil }
        var next = 0
        for clip in track.clips {
            while next < cuts.count, cuts[next].time <= clip.timeRange.start { next += 1 }
            var range = clip.timeRange
            if next > 0, cuts[next - 1].time == range.start {
                range = MediaTimeRange(start: cuts[next - 1].range.start, end: range.end)
            }
            if next < cuts.count, cuts[next].time == range.end {
                range = MediaTimeRange(start: range.start, end: cuts[next].range.end)
            }
            clips[next % 2].append(clip.playing(in: range))
        }
    }

    /// The lane at the end.
    var lastLane: Int { overlaps.count % 2 }

    private mutating func kind(
        of transition: TimelineTransition, _ track: TimelineTrack
    ) -> VideoCompositionTransition.Kind {
        // All transitions sound the same.
        if mediaType == .audio { return .dissolve }
        switch transition.kind {
        case "SMPTE_Dissolve", "": return .dissolve
        case "SMPTE_Wipe": return .wipe(from: .left)
        default: break
        }
        for name in [transition.kind, transition.name] {
            if let kind = VideoCompositionTransition.Kind(name: name.lowercased()) { return kind }
        }
        note(transition, track, "'\(transition.kind)' is not known; a dissolve is shown")
        return .dissolve
    }

    private mutating func note(
        _ transition: TimelineTransition, _ track: TimelineTrack, _ text: String
    ) {
        let name = transition.name.isEmpty ? "transition" : transition.name
        let place = track.name.isEmpty ? name : "\(track.name), \(name)"
        notes.append(TimelineNote(place: place, text: text))
    }
}

extension TimelineClip {
    /// Returns the clip extended to a longer time range. Its `mediaTimeRange` is extended in
    /// proportion, so that the speed stays the same.
    fileprivate func playing(in range: MediaTimeRange) -> TimelineClip {
        guard range != timeRange else { return self }
        var clip = self
        clip.timeRange = range
        guard mediaTimeRange.duration > .zero else { return clip }
        clip.mediaTimeRange = MediaTimeRange(
            start: TimelineTime.mapped(range.start, from: timeRange, to: mediaTimeRange),
            end: TimelineTime.mapped(range.end, from: timeRange, to: mediaTimeRange))
        return clip
    }
}
