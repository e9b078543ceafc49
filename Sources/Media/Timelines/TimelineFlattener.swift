// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A flattener that creates tracks from the tree of a timeline. For a stack of video, the topmost
/// enabled clip is shown at each moment. For audio, items that play at the same time get separate
/// tracks.
struct TimelineFlattener {
    /// Clips that do not overlap, in the order of their times, and the transitions between them.
    struct Lane {
        var clips: [TimelineClip] = []
        var transitions: [TimelineTransition] = []
        var name = ""
    }

    /// The maximum number of lanes. No person edits a mix with more lanes.
    private static let maximumLanes = 256
    /// The maximum number of clips. Without this limit, nested stacks could produce exponentially
    /// many clips.
    private static let maximumClips = 1_000_000

    private let mediaType: MediaType
    private var clipCount = 0
    private(set) var isTooLarge = false

    private init(_ mediaType: MediaType) { self.mediaType = mediaType }

    /// Returns the tracks of a timeline whose outermost stack is `root`.
    static func tracks(of root: TimelineNode, subject: String) throws(MediaError) -> [TimelineTrack]
    {
        var tracks: [TimelineTrack] = []
        for mediaType in [MediaType.video, .audio] {
            guard root.contains(mediaType) else { continue }
            var flattener = TimelineFlattener(mediaType)
            var lanes = flattener.lanes(of: root)
            if flattener.isTooLarge {
                throw MediaError(
                    .limitExceeded, subject: subject,
                    cause: "it has more than \(maximumClips) clips or \(maximumLanes) tracks that "
                        + "play together",
                    remedy: "export a smaller part")
            }
            if lanes.isEmpty { lanes = [Lane()] }
            tracks += lanes.map {
                TimelineTrack(
                    name: $0.name, mediaType: mediaType, duration: root.duration, clips: $0.clips,
                    transitions: $0.transitions)
            }
        }
        return tracks
    }

    // MARK: - Items

    /// Returns the lanes of an item on the item's own timeline, which runs from 0 to its duration.
    private mutating func lanes(of node: TimelineNode) -> [Lane] {
        guard node.isEnabled, node.duration > .zero, !isTooLarge else { return [] }
        switch node.kind {
        case .gap, .transition: return []
        case .clip(let clip): return [Lane(clips: [self.clip(clip, node)])]
        case .stack(let children):
            var lanes: [Lane] = []
            for child in children.reversed() { lanes += self.lanes(of: child) }
            if mediaType == .video, lanes.count > 1 {
                lanes = [lanes.dropFirst().reduce(lanes[0]) { $0.over($1) }]
            } else if mediaType == .audio {
                lanes.reverse()
            }
            return cut(lanes, node)
        case .track(let children, let type):
            guard type == mediaType else { return [] }
            return cut(sequence(children, node), node)
        }
    }

    private mutating func clip(_ clip: TimelineNode.Clip, _ node: TimelineNode) -> TimelineClip {
        clipCount += 1
        if clipCount > Self.maximumClips { isTooLarge = true }
        let start = node.sourceRange?.start ?? clip.availableRange?.start ?? .zero
        return TimelineClip(
            name: node.name, timeRange: MediaTimeRange(start: .zero, duration: node.duration),
            media: clip.media,
            mediaTimeRange: MediaTimeRange(
                start: start, duration: TimelineTime.scaled(node.duration, by: node.speed)),
            availableTimeRange: clip.availableRange, frameDuration: clip.frameDuration,
            place: node.place)
    }

    private mutating func sequence(_ children: [TimelineNode], _ track: TimelineNode) -> [Lane] {
        var result: [Lane] = []
        var position = MediaTime.zero
        var transitions: [TimelineTransition] = []
        for child in children {
            if case .transition(let kind, let inOffset, let outOffset) = child.kind {
                if child.isEnabled, track.duration > .zero {
                    transitions.append(
                        TimelineTransition(
                            name: child.name, kind: kind,
                            timeRange: MediaTimeRange(
                                start: position - inOffset, end: position + outOffset),
                            cutTime: position))
                }
                continue
            }
            let lanes = lanes(of: child)
            if lanes.count > Self.maximumLanes { isTooLarge = true }
            guard !isTooLarge else { return [] }
            for (index, lane) in lanes.enumerated() {
                if index == result.count { result.append(Lane()) }
                result[index].append(lane, at: position)
            }
            position = position + child.duration
        }
        if !transitions.isEmpty {
            if result.isEmpty { result.append(Lane()) }
            result[0].transitions += transitions
            result[0].transitions.sort { $0.cutTime < $1.cutTime }
        }
        for index in result.indices { result[index].name = track.name }
        return result
    }

    /// Cuts lanes to the part of an item that plays, and applies the speed of the item.
    private func cut(_ lanes: [Lane], _ node: TimelineNode) -> [Lane] {
        guard node.sourceRange != nil || node.speed != 1 else { return lanes }
        let start = node.sourceRange?.start ?? .zero
        let target = MediaTimeRange(start: .zero, duration: node.duration)
        guard node.speed != 0 else { return lanes.map { $0.frozen(at: start, for: target) } }
        let part = MediaTimeRange(
            start: start, duration: TimelineTime.scaled(node.duration, by: node.speed))
        return lanes.map { $0.cut(to: part, at: target) }
    }
}

extension TimelineNode {
    /// Returns whether the item contains a track of a type. A clip outside tracks counts as video.
    fileprivate func contains(_ mediaType: MediaType) -> Bool {
        switch kind {
        // As in other readers, a clip outside tracks is shown but not heard.
        case .clip: mediaType == .video
        case .gap, .transition: false
        case .stack(let children): children.contains { $0.contains(mediaType) }
        case .track(_, let type): type == mediaType
        }
    }
}

extension TimelineClip {
    /// Returns the part of the clip within a time range, which must be inside the clip's range.
    fileprivate func part(_ range: MediaTimeRange) -> TimelineClip {
        guard range != timeRange else { return self }
        var clip = self
        clip.timeRange = range
        guard mediaTimeRange.duration > .zero else { return clip }
        let start = TimelineTime.mapped(range.start, from: timeRange, to: mediaTimeRange)
        let end = TimelineTime.mapped(range.end, from: timeRange, to: mediaTimeRange)
        clip.mediaTimeRange = MediaTimeRange(start: start, end: end)
        return clip
    }
}

extension TimelineFlattener.Lane {
    fileprivate mutating func append(_ lane: Self, at position: MediaTime) {
        for var clip in lane.clips {
            clip.timeRange.start = clip.timeRange.start + position
            clips.append(clip)
        }
        for var transition in lane.transitions {
            transition.timeRange.start = transition.timeRange.start + position
            transition.cutTime = transition.cutTime + position
            transitions.append(transition)
        }
    }

    /// Returns the part of the lane within a range, moved and scaled to the target range.
    fileprivate func cut(to part: MediaTimeRange, at target: MediaTimeRange) -> Self {
        var lane = Self(name: name)
        for clip in clips {
            let range = clip.timeRange.intersection(part)
            guard range.isValid, range.duration > .zero else { continue }
            var piece = clip.part(range)
            let start = TimelineTime.mapped(range.start, from: part, to: target)
            let end = TimelineTime.mapped(range.end, from: part, to: target)
            guard start < end else { continue }
            piece.timeRange = MediaTimeRange(start: start, end: end)
            lane.clips.append(piece)
        }
        for transition in transitions
        where transition.cutTime >= part.start && transition.cutTime <= part.end {
            var moved = transition
            moved.cutTime = TimelineTime.mapped(transition.cutTime, from: part, to: target)
            moved.timeRange = MediaTimeRange(
                start: TimelineTime.mapped(transition.timeRange.start, from: part, to: target),
                end: TimelineTime.mapped(transition.timeRange.end, from: part, to: target))
            lane.transitions.append(moved)
        }
        return lane
    }

    /// Returns a lane that holds the frame at a time.
    fileprivate func frozen(at time: MediaTime, for target: MediaTimeRange) -> Self {
        guard var clip = clips.first(where: { $0.timeRange.contains(time) }) else {
            return Self(name: name)
        }
        if clip.mediaTimeRange.duration > .zero {
            clip.mediaTimeRange.start = TimelineTime.mapped(
                time, from: clip.timeRange, to: clip.mediaTimeRange)
            clip.mediaTimeRange.duration = .zero
        }
        clip.timeRange = target
        return Self(clips: [clip], name: name)
    }

    /// Returns the lane with the clips of a lower lane filled in where this lane has no clips.
    fileprivate func over(_ lower: Self) -> Self {
        var result = Self(name: name == lower.name ? name : "")
        var upper = clips[...]
        for clip in lower.clips {
            var start = clip.timeRange.start
            let end = clip.timeRange.end
            while let next = upper.first, next.timeRange.start < end {
                if next.timeRange.start > start {
                    result.clips.append(
                        clip.part(MediaTimeRange(start: start, end: next.timeRange.start)))
                }
                start = max(start, next.timeRange.end)
                // A clip that extends beyond this one may also cover the next one.
                guard next.timeRange.end <= end else { break }
                result.clips.append(next)
                upper.removeFirst()
            }
            if start < end {
                result.clips.append(clip.part(MediaTimeRange(start: start, end: end)))
            }
        }
        result.clips += upper
        result.clips.sort { $0.timeRange.start < $1.timeRange.start }
        let seen = lower.transitions.filter { !isCovered($0.cutTime) }
        result.transitions = (transitions + seen).sorted { $0.cutTime < $1.cutTime }
        return result
    }
    /// Returns whether a clip plays before and after a time.
    private func isCovered(_ time: MediaTime) -> Bool {
        var (low, high) = (0, clips.count)
        while low < high {
            let middle = (low + high) / 2
            if clips[middle].timeRange.end <= time { low = middle + 1 } else { high = middle }
        }
        return low < clips.count && clips[low].timeRange.start < time
    }
}
