// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The properties of media that the playback model needs: its frames, those that can be decoded,
/// and the positions where decoding can begin.
struct ModelFilm {
    let times: SyntheticFrameTimes
    /// The numbers of the frames that can be decoded, in order.
    let decodable: [Int]
    let keyframeInterval: Int
    /// The end of playback.
    let end: MediaTime

    /// A time this close before a frame counts as within it.
    private static let tolerance = MediaTime(value: 1, timescale: 1_000_000)

    init?(_ media: SyntheticMedia) {
        guard let times = media.frameTimes else { return nil }
        self.times = times
        keyframeInterval = max(1, media.keyframeInterval)
        let lost = media.faults.undecodableFrames.union(media.faults.missingFrames)
        decodable = (0..<times.count).filter { !lost.contains($0) }
        end = max(times.end, media.sounds.map(\.duration).max() ?? .zero)
    }

    /// Returns the frame that is shown at a time: the last that has begun, or the first one.
    func frame(at time: MediaTime, decodedFrom first: Int) -> Int? {
        let frames = decodable.drop { $0 < first }
        return frames.last { times.time(of: $0) <= time + Self.tolerance } ?? frames.first
    }

    /// Returns the keyframe from which a time is decoded.
    func keyframe(for time: MediaTime) -> Int {
        let frame = times.index(at: time) ?? (time < times.end ? 0 : times.count - 1)
        return frame / keyframeInterval * keyframeInterval
    }

    /// Returns the keyframe from which a seek decodes: the last one from which a frame at or before
    /// the target can be decoded, or the one before the target.
    func keyframe(ofSeekTo target: MediaTime) -> Int {
        let before = keyframe(for: target)
        return stride(from: before, through: 0, by: -keyframeInterval).first { first in
            decodable.contains { $0 >= first && times.time(of: $0) <= target + Self.tolerance }
        } ?? before
    }

    /// Returns the frame at which a seek without tolerances lands.
    func frame(ofSeekTo target: MediaTime) -> Int? {
        frame(at: target, decodedFrom: keyframe(ofSeekTo: target))
    }

    /// Returns the keyframe from which a seek with tolerances decodes: the one before the target,
    /// or the one after it if only that is near enough.
    func keyframe(
        for target: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime
    ) -> Int {
        guard toleranceAfter > .zero else { return keyframe(ofSeekTo: target) }
        let before = keyframe(for: target)
        let after = before + keyframeInterval
        guard after < times.count, times.time(of: after) > target,
            times.time(of: before) < target - toleranceBefore,
            times.time(of: after) <= target + toleranceAfter,
            let first = decodable.first(where: { $0 >= after }),
            times.time(of: first) <= target + toleranceAfter
        else { return before }
        return after
    }

    /// Returns the item time at which a seek lands: its target, or with tolerance the start of the
    /// first decoded frame that is near enough.
    func landing(
        _ target: MediaTime, toleranceBefore: MediaTime, decodedFrom first: Int
    ) -> MediaTime {
        if times.time(of: first) > target, first > 0 {
            // Only a seek to the following keyframe begins there.
            return decodable.first { $0 >= first }.map(times.time(of:)) ?? target
        }
        // If the target is damaged, decoding begins farther back, and lands on the target.
        guard toleranceBefore > .zero, first >= keyframe(for: target) else { return target }
        let earliest =
            toleranceBefore.isPositiveInfinity ? .negativeInfinity : target - toleranceBefore
        let frames = decodable.filter { $0 >= first }
        let near = frames.first { frame in
            let start = times.time(of: frame)
            return start >= earliest || start + times.duration(of: frame) > target + Self.tolerance
        }
        var shown = near ?? frames.last
        if let near, times.time(of: near) > target + Self.tolerance {
            shown = frames.last { $0 < near } ?? near
        }
        guard let start = shown.map(times.time(of:)), start < target, start >= earliest else {
            return target
        }
        return start
    }

    /// Returns the frame that is `count` frames away from another; at most the first or the last
    /// one.
    func frame(_ frame: Int, steppedBy count: Int) -> Int {
        guard let index = decodable.firstIndex(of: frame) else { return frame }
        return decodable[min(max(index + count, 0), decodable.count - 1)]
    }
}
