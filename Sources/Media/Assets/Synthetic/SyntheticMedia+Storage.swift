// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

// The storage of a synthetic asset: its tracks, decoding order and packets. Track 0 is the video;
// the audio tracks follow, and then the further video tracks.
extension SyntheticMedia {
    var keyframeStep: Int { max(1, keyframeInterval) }

    func soundIndex(ofTrack id: Int) -> Int? {
        let index = frameTimes == nil ? id : id - 1
        return sounds.indices.contains(index) ? index : nil
    }

    /// Returns the number of the video with a track identifier; 0 for the first one.
    func videoIndex(ofTrack id: Int) -> Int? {
        guard frameTimes != nil else { return nil }
        if id == 0 { return 0 }
        let index = id - sounds.count
        return index > 0 && index <= furtherVideos.count ? index : nil
    }

    /// Returns the identifier of a video track by its number; 0 for the first one.
    package func trackID(ofVideo index: Int) -> Int { index == 0 ? 0 : sounds.count + index }

    /// Returns the identifier of an audio track by its number.
    package func trackID(ofSound index: Int) -> Int { (frameTimes == nil ? 0 : 1) + index }

    /// Returns the media as if one of its videos were the first.
    func leading(video index: Int) -> SyntheticMedia {
        guard index > 0 else { return self }
        let video = furtherVideos[index - 1]
        var media = self
        media.frameTimes = video.frameTimes
        media.keyframeInterval = video.keyframeInterval
        media.firstNumber = video.firstNumber
        media.bidirectionalFrames = 0
        media.faults = SyntheticFaults()
        media.faults.willDecodeFrame = faults.willDecodeFrame
        media.faults.willReceiveFrame = faults.willReceiveFrame
        return media
    }

    var description: AssetDescription {
        var tracks: [AssetTrack] = []
        if let frameTimes { tracks.append(videoTrack(0, frameTimes)) }
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
        for video in furtherVideos { tracks.append(videoTrack(tracks.count, video.frameTimes)) }
        var description = AssetDescription(
            container: "synthetic", duration: declaresDuration ? duration : .indefinite,
            tracks: tracks)
        description.chapters = chapters
        return description
    }

    private func videoTrack(_ id: Int, _ frameTimes: SyntheticFrameTimes) -> AssetTrack {
        let frameDuration = frameTimes.nominalFrameDuration
        return AssetTrack(
            id: id, mediaType: .video,
            formatDescription: FormatDescription(
                codec: "synthetic",
                video: FormatDescription.Video(
                    width: width, height: height, pixelFormat: pixelFormat.name,
                    attachments: attachments)),
            isDefault: id == 0,
            timeRange: timeRange(
                from: frameTimes.count > 0 ? frameTimes.time(of: 0) : .zero, to: frameTimes.end),
            nominalFrameRate: frameDuration.isValid ? 1 / frameDuration.seconds : 0,
            frameDuration: frameDuration, sampleCount: frameTimes.count)
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

    func videoPacket(atPosition position: Int, trackID: Int = 0) -> MediaPacket? {
        guard let frameTimes else { return nil }
        let (index, isDisposable) = frame(atPosition: position)
        if faults.missingFrames.contains(index) { return nil }
        let isKeyframe = index % keyframeStep == 0
        let hasTime = !faults.framesWithoutTime.contains(index)
        let time = faults.writtenTimes[index] ?? frameTimes.time(of: index)
        return MediaPacket(
            trackID: trackID, presentationTime: hasTime ? time : .invalid,
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
            trackID: trackID(ofSound: index), presentationTime: time, decodeTime: time,
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
