// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

// The storage of a synthetic asset: its tracks, decoding order and packets. Track 0 is the video;
// the audio tracks follow.
extension SyntheticMedia {
    var keyframeStep: Int { max(1, keyframeInterval) }

    func soundIndex(ofTrack id: Int) -> Int? {
        let index = frameTimes == nil ? id : id - 1
        return sounds.indices.contains(index) ? index : nil
    }

    var description: AssetDescription {
        var tracks: [AssetTrack] = []
        if let frameTimes {
            let frameDuration = frameTimes.nominalFrameDuration
            tracks.append(
                AssetTrack(
                    id: 0, mediaType: .video,
                    formatDescription: FormatDescription(
                        codec: "synthetic",
                        video: FormatDescription.Video(
                            width: width, height: height, pixelFormat: pixelFormat.name,
                            attachments: attachments)),
                    isDefault: true,
                    timeRange: timeRange(
                        from: frameTimes.count > 0 ? frameTimes.time(of: 0) : .zero,
                        to: frameTimes.end),
                    nominalFrameRate: frameDuration.isValid ? 1 / frameDuration.seconds : 0,
                    frameDuration: frameDuration, sampleCount: frameTimes.count))
        }
        for sound in sounds {
            tracks.append(
                AssetTrack(
                    id: tracks.count, mediaType: .audio,
                    formatDescription: FormatDescription(
                        codec: "synthetic",
                        audio: FormatDescription.Audio(
                            sampleRate: sound.format.sampleRate,
                            channelCount: sound.format.channelCount, channelLayout: "",
                            sampleFormat: "flt")),
                    languageTag: sound.languageTag, isDefault: sound == sounds.first,
                    timeRange: timeRange(from: .zero, to: sound.duration),
                    timeUnit: MediaTime(
                        value: 1, timescale: Int32(clamping: sound.format.sampleRate))))
        }
        var description = AssetDescription(
            container: "synthetic", duration: declaresDuration ? duration : .indefinite,
            tracks: tracks)
        description.chapters = chapters
        return description
    }

    private func timeRange(from start: MediaTime, to end: MediaTime) -> MediaTimeRange {
        declaresDuration
            ? MediaTimeRange(start: start, end: end)
            : MediaTimeRange(start: start, duration: .indefinite)
    }

    /// Returns the frame that is stored at a position, and whether no other frame depends on it.
    ///
    /// From one keyframe to the next, there is a reference frame every `bidirectionalFrames + 1`
    /// frames. The frames between two reference frames are stored after the later reference frame.
    func frame(atPosition position: Int) -> (index: Int, isDisposable: Bool) {
        let step = max(1, bidirectionalFrames + 1)
        let group = position / keyframeStep * keyframeStep
        let inGroup = position - group
        guard step > 1, inGroup > 0, let frameTimes else { return (position, false) }
        let last = min(keyframeStep, frameTimes.count - group) - 1
        let reference = (inGroup - 1) / step * step
        let next = min(reference + step, last)
        let inRun = (inGroup - 1) % step
        return inRun == 0 ? (group + next, false) : (group + reference + inRun, true)
    }

    /// Returns the time at which the packet at a position has to be decoded. The decode times are
    /// the times of the frames in order or, if frames are reordered, these times moved back by one
    /// frame.
    func decodeTime(atPosition position: Int) -> MediaTime {
        guard let frameTimes else { return .invalid }
        guard bidirectionalFrames > 0 else { return frameTimes.time(of: position) }
        if position > 0 { return frameTimes.time(of: position - 1) }
        return frameTimes.time(of: 0) - frameTimes.duration(of: 0)
    }

    func videoPacket(atPosition position: Int) -> MediaPacket? {
        guard let frameTimes else { return nil }
        let (index, isDisposable) = frame(atPosition: position)
        if faults.missingFrames.contains(index) { return nil }
        let isKeyframe = index % keyframeStep == 0
        let hasTime = !faults.framesWithoutTime.contains(index)
        let time = faults.writtenTimes[index] ?? frameTimes.time(of: index)
        return MediaPacket(
            trackID: 0, presentationTime: hasTime ? time : .invalid,
            decodeTime: decodeTime(atPosition: position), duration: frameTimes.duration(of: index),
            isKeyframe: isKeyframe, byteCount: width * height / (isKeyframe ? 10 : 50) + 1,
            payload: SyntheticPayload(index: index, isDisposable: isDisposable))
    }

    func soundPacket(_ index: Int, number: Int, time: MediaTime) -> MediaPacket {
        let sound = sounds[index]
        let frames = min(
            sound.framesPerPacket,
            sound.frameCount(sampleRate: sound.format.sampleRate) - number * sound.framesPerPacket)
        return MediaPacket(
            trackID: (frameTimes == nil ? 0 : 1) + index, presentationTime: time, decodeTime: time,
            duration: MediaTime(
                value: Int64(frames), timescale: Int32(clamping: sound.format.sampleRate)),
            isKeyframe: true, byteCount: frames / 4 + 1, payload: SyntheticPayload(index: number))
    }

    /// Returns the image of a frame in the format of the media.
    func pixelBuffer(ofFrame index: Int, pool: (any PixelBufferPool)?) -> PixelBuffer {
        picture(ofFrame: index).pixelBuffer(
            format: pixelFormat, attachments: attachments, pool: pool)
    }
}
