// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The properties of media that the playback model needs: its tracks, the frames of the first video
/// track that can be decoded, and the positions where decoding can begin.
struct ModelFilm {
    /// The first video track.
    let video: ModelTrack
    /// The numbers of its frames that can be decoded, in order.
    let decodable: [Int]
    /// The video tracks in addition to the first one, and the audio tracks.
    var further: [ModelTrack] = []
    var sounds: [ModelSound] = []
    /// The delay until a timeline with audio starts to move.
    var startDelay = MediaTime.zero

    init(video: ModelTrack, lost: Set<Int>) {
        self.video = video
        decodable = (0..<video.count).filter { !lost.contains($0) }
    }

    /// The end of the longest track.
    var end: MediaTime { (further.map(\.end) + sounds.map(\.end)).reduce(video.end, max) }

    /// Returns the frame that is shown at a time: the last that has begun, or the first one.
    func frame(at time: MediaTime, decodedFrom first: Int) -> Int? {
        video.frame(at: time, among: decodable.drop { $0 < first })
    }

    /// Returns the keyframe from which a time is decoded.
    func keyframe(for time: MediaTime) -> Int {
        let frame = video.index(at: time) ?? (time < video.end ? 0 : video.count - 1)
        return frame / video.keyframeInterval * video.keyframeInterval
    }

    /// Returns the keyframe from which a seek decodes: the last one from which a frame at or before
    /// the target can be decoded, or the one before the target.
    func keyframe(ofSeekTo target: MediaTime) -> Int {
        let before = keyframe(for: target)
        return stride(from: before, through: 0, by: -video.keyframeInterval).first { first in
            decodable.contains {
                $0 >= first && video.time(of: $0) <= target + ModelTrack.tolerance
            }
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
        let after = before + video.keyframeInterval
        guard after < video.count, video.time(of: after) > target,
            video.time(of: before) < target - toleranceBefore,
            video.time(of: after) <= target + toleranceAfter,
            let first = decodable.first(where: { $0 >= after }),
            video.time(of: first) <= target + toleranceAfter
        else { return before }
        return after
    }

    /// Returns the item time at which a seek lands: its target, or with tolerance the start of the
    /// first decoded frame that is near enough.
    func landing(
        _ target: MediaTime, toleranceBefore: MediaTime, decodedFrom first: Int
    ) -> MediaTime {
        if video.time(of: first) > target, first > 0 {
            // Only a seek to the following keyframe begins there.
            return decodable.first { $0 >= first }.map(video.time(of:)) ?? target
        }
        // If the target is damaged, decoding begins farther back, and lands on the target.
        guard toleranceBefore > .zero, first >= keyframe(for: target) else { return target }
        let earliest =
            toleranceBefore.isPositiveInfinity ? .negativeInfinity : target - toleranceBefore
        let frames = decodable.filter { $0 >= first }
        let near = frames.first { frame in
            video.time(of: frame) >= earliest
                || video.end(of: frame) > target + ModelTrack.tolerance
        }
        var shown = near ?? frames.last
        if let near, video.time(of: near) > target + ModelTrack.tolerance {
            shown = frames.last { $0 < near } ?? near
        }
        guard let start = shown.map(video.time(of:)), start < target, start >= earliest else {
            return target
        }
        return start
    }

    /// Returns the frame that is `count` frames away from another; at most the first one, or the
    /// last one of those up to a limit.
    func frame(_ frame: Int, steppedBy count: Int, upTo limit: Int = .max) -> Int {
        guard let index = decodable.firstIndex(of: frame) else { return frame }
        let target = decodable[min(max(index + count, 0), decodable.count - 1)]
        return count > 0 ? max(frame, min(target, limit)) : target
    }
}
