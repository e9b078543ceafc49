// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadTime

extension ModelFilm {
    /// Creates the film of synthetic media; nil if it has no frames.
    init?(_ media: SyntheticMedia) {
        guard let times = media.frameTimes, times.count > 0 else { return nil }
        self.init(
            video: ModelTrack(times, keyframeInterval: media.keyframeInterval),
            lost: media.faults.undecodableFrames.union(media.faults.missingFrames))
        further = media.furtherVideos.map { video in
            var track = ModelTrack(video.frameTimes, keyframeInterval: video.keyframeInterval)
            track.firstNumber = video.firstNumber
            return track
        }
        sounds = media.sounds.map { sound in
            ModelSound(
                sampleCount: sound.frameCount(sampleRate: ModelSound.sampleRate),
                packetLength: sound.framesPerPacket)
        }
        startDelay = sounds.isEmpty ? .zero : ModelDevice.latency
    }
}

extension ModelTrack {
    fileprivate init(_ times: SyntheticFrameTimes, keyframeInterval: Int) {
        self.init(
            times: (0..<times.count).map(times.time(of:)), end: times.end,
            keyframeInterval: max(1, keyframeInterval))
    }
}
