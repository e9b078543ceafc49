// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A builder of a video composition for clips that are on two tracks and overlap during
/// transitions. Clips whose size is not the render size are scaled to fit into it, and centred.
///
/// - Concurrency: a value; any thread.
package struct OverlappingClips {
    private let trackIDs: [Int]
    private let renderSize: (width: Int, height: Int)
    private let frameDuration: MediaTime
    /// The start times and the transforms of the clips, for each track.
    private var places: [[(time: MediaTime, transform: Transform2D)]] = [[], []]
    private var overlaps: [(timeRange: MediaTimeRange, kind: VideoCompositionTransition.Kind)] = []

    /// Creates a builder without clips.
    ///
    /// - Parameter trackIDs: The IDs of the two tracks. The first of them shows the first clip.
    package init(
        trackIDs: [Int], renderSize: (width: Int, height: Int), frameDuration: MediaTime
    ) {
        self.trackIDs = trackIDs
        self.renderSize = renderSize
        self.frameDuration = frameDuration
    }

    /// Adds a clip, or a part of one. The times must increase within a track.
    ///
    /// - Parameters:
    ///   - size: The size of the clip's frames, upright.
    ///   - track: 0 or 1.
    package mutating func add(
        _ size: (width: Double, height: Double), onTrack track: Int, at time: MediaTime
    ) {
        let (width, height) = (Double(renderSize.width), Double(renderSize.height))
        var transform = Transform2D.identity
        if size.width > 0, size.height > 0, size != (width, height) {
            let scale = min(width / size.width, height / size.height)
            transform = Transform2D.scale(x: scale, y: scale).concatenating(
                .translation(
                    x: (width - size.width * scale) / 2, y: (height - size.height * scale) / 2))
        }
        guard transform != places[track].last?.transform ?? .identity else { return }
        places[track].append((time, transform))
    }

    /// Adds a transition to the other track. The times must increase, and transitions must not
    /// overlap.
    package mutating func add(
        _ kind: VideoCompositionTransition.Kind, in timeRange: MediaTimeRange
    ) {
        overlaps.append((timeRange, kind))
    }

    /// Returns the composition from 0 to the end of the last clip.
    package func videoComposition(duration: MediaTime) -> VideoComposition {
        var result = VideoComposition(renderSize: renderSize, frameDuration: frameDuration)
        var (position, current) = (MediaTime.zero, 0)
        func add(until end: MediaTime, _ tracks: [Int], _ kind: VideoCompositionTransition.Kind?) {
            guard end > position else { return }
            let range = MediaTimeRange(start: position, end: end)
            var instruction = VideoCompositionInstruction(
                timeRange: range, layerInstructions: tracks.map { layer(of: $0, in: range) })
            instruction.transition = kind.map {
                VideoCompositionTransition($0, from: trackIDs[tracks[0]], to: trackIDs[tracks[1]])
            }
            result.instructions.append(instruction)
            position = end
        }
        for (range, kind) in overlaps {
            add(until: range.start, [current], nil)
            add(until: range.end, [current, 1 - current], kind)
            current = 1 - current
        }
        add(until: duration, [current], nil)
        return result
    }

    private func layer(
        of track: Int, in range: MediaTimeRange
    ) -> VideoCompositionLayerInstruction {
        var layer = VideoCompositionLayerInstruction(trackID: trackIDs[track])
        let places = places[track]
        let first = places.last { $0.time <= range.start }
        if let first, first.transform != .identity {
            layer.setTransform(first.transform, at: range.start)
        }
        for place in places where place.time > range.start && place.time < range.end {
            layer.setTransform(place.transform, at: place.time)
        }
        return layer
    }
}

extension VideoCompositionTransition.Kind {
    /// The names of the kinds that need no effect.
    package static var names: [String] {
        ["dissolve"]
            + ["push", "wipe"].flatMap { kind in
                VideoCompositionTransition.Edge.allCases.map { "\(kind)-\($0.rawValue)" }
            }
    }

    /// Creates a kind by its name, such as `dissolve` or `push-left`; nil for an unknown name.
    package init?(name: String) {
        if name == "dissolve" {
            self = .dissolve
            return
        }
        let parts = name.split(separator: "-", maxSplits: 1).map(String.init)
        guard parts.count == 2, let edge = VideoCompositionTransition.Edge(rawValue: parts[1])
        else { return nil }
        switch parts[0] {
        case "push": self = .push(from: edge)
        case "wipe": self = .wipe(from: edge)
        default: return nil
        }
    }
}
