// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// One or more segments that are read together, because each continues the previous one in the same
/// source at its natural rate. Reading them together gives the same samples as the uncut source.
struct CompositionRun: Sendable {
    let source: CompositionSource
    private(set) var sourceRange: MediaTimeRange
    private(set) var targetRange: MediaTimeRange

    /// Returns the runs of a track, in order. Nothing plays between runs.
    static func runs(of segments: [CompositionTrackSegment]) -> [CompositionRun] {
        var runs: [CompositionRun] = []
        for segment in segments {
            guard let source = segment.source else { continue }
            let (part, target) = (segment.timeMapping.source, segment.timeMapping.target)
            if let last = runs.last, last.isContinued(by: source, part, target) {
                runs[runs.count - 1].sourceRange.duration =
                    last.sourceRange.duration + part.duration
                runs[runs.count - 1].targetRange.duration =
                    last.targetRange.duration + target.duration
            } else {
                runs.append(
                    CompositionRun(source: source, sourceRange: part, targetRange: target))
            }
        }
        return runs
    }

    private func isContinued(
        by source: CompositionSource, _ part: MediaTimeRange, _ target: MediaTimeRange
    ) -> Bool {
        source.isSame(as: self.source) && sourceRange.end == part.start
            && targetRange.end == target.start && sourceRange.duration == targetRange.duration
            && part.duration == target.duration
            && !(sourceRange.duration + part.duration).hasBeenRounded
    }

    /// A Boolean value that indicates whether the source plays faster or slower.
    var isScaled: Bool { sourceRange.duration != targetRange.duration }

    /// The latest time of a frame that counts as the frame shown at the start of the run.
    var startLimit: MediaTime { sourceRange.start + VideoFrame.timeTolerance }
    /// The time at and after which frames are not part of the run. It is slightly earlier than the
    /// end of the run, so that a frame is left out if less than a microsecond of it is inside the
    /// run.
    var endLimit: MediaTime { sourceRange.end - VideoFrame.timeTolerance }

    /// Returns the time on the composition's timeline at which a time of the source is reached. The
    /// result is exact if a `MediaTime` can express it. For times before the run, the result is the
    /// start of the run.
    func targetTime(ofSourceTime time: MediaTime) -> MediaTime {
        guard time.isNumeric else { return time }
        if time <= sourceRange.start { return targetRange.start }
        if time >= sourceRange.end { return targetRange.end }
        if let exact = try? time.takenAsExact.exactlyMapped(from: sourceRange, to: targetRange) {
            return exact
        }
        return time.mapped(from: sourceRange, to: targetRange)
    }

    /// Returns the time of the source that plays at a time of the composition.
    func sourceTime(ofTargetTime time: MediaTime) -> MediaTime {
        if time <= targetRange.start { return sourceRange.start }
        if let exact = try? time.takenAsExact.exactlyMapped(from: targetRange, to: sourceRange) {
            return exact
        }
        return time.mapped(from: targetRange, to: sourceRange)
    }
}
