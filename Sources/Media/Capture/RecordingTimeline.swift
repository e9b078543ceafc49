// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The times of a recording's samples: pauses are left out, and audio is cut at the same times as
/// frames.
///
/// Audio is held until a frame shows whether a pause begins, so that the same time is left out of
/// audio and video. The type is a value, without a lock or a thread.
struct RecordingTimeline {
    /// A sample of the file, with its time in the file's session.
    enum Sample {
        case frame(PixelBuffer, MediaTime)
        case audio(AudioBuffer)

        var time: MediaTime {
            switch self {
            case .frame(_, let time): time
            case .audio(let buffer): buffer.presentationTime
            }
        }
    }

    private let hasVideo: Bool
    /// The format of the audio; nil if no audio is recorded.
    private let audioFormat: AudioFormat?
    /// The maximum duration, not counting pauses; `invalid` for no limit.
    private let limit: MediaTime
    /// The total duration of pauses so far, which is subtracted from times.
    private var pausedDuration = MediaTime.zero
    private var isPaused = false
    /// The end of the last frame, on the session's clock. The audio up to here belongs to the file,
    /// even if a pause follows.
    private var segmentEnd = MediaTime.invalid
    /// The end of the audio in the file, as a time of the session's clock. Pauses are not
    /// subtracted from this time.
    private var audioEnd = MediaTime.invalid
    private var held: [AudioBuffer] = []
    /// The time at which the recording ends, on the session's clock; `invalid` while it is not
    /// known.
    private(set) var end = MediaTime.invalid

    /// The times of the first sample and the last frame, in the file's session.
    private(set) var firstTime = MediaTime.invalid
    private(set) var lastTime = MediaTime.invalid
    private(set) var lastDuration = MediaTime.invalid
    private(set) var hasReachedLimit = false

    /// The maximum time for which audio waits for frames, or frames wait for audio.
    static let patience = MediaTime(value: 1, timescale: 1)
    /// Silence that replaces missing audio ends this long before the newest frame.
    private static let margin = MediaTime(value: 1, timescale: 2)

    init(hasVideo: Bool, audioFormat: AudioFormat?, limit: MediaTime) {
        self.hasVideo = hasVideo
        self.audioFormat = audioFormat
        self.limit = limit
    }

    /// The duration of the recording so far, without pauses.
    var recordedDuration: MediaTime {
        guard lastTime.isNumeric else { return .zero }
        return lastTime - firstTime + (lastDuration.isNumeric ? lastDuration : .zero)
    }

    /// A Boolean value that indicates whether all samples up to the end have been returned.
    var isComplete: Bool {
        guard end.isNumeric else { return false }
        guard audioFormat != nil, firstTime.isNumeric else { return true }
        return audioEnd.isNumeric && audioEnd >= end - Self.rounding
    }

    /// The tolerance for times that are rounded to nanoseconds. It is shorter than an audio sample.
    private static let rounding = MediaTime(value: 1, timescale: 1_000_000)

    /// Leaves out the samples after the last frame, until the next call of `add`.
    mutating func pause() { isPaused = true }

    /// Ends the recording at a time of the session's clock: the time of the next frame, or nil for
    /// the end of the last frame.
    mutating func finish(at time: MediaTime?) -> [Sample] {
        guard !end.isNumeric else { return [] }
        guard firstTime.isNumeric else {
            end = time ?? .zero
            return []
        }
        var time = time ?? segmentEnd
        // Samples that a pause has left out are not added.
        if isPaused || !hasVideo { time = min(time, segmentEnd) }
        end = time
        return release(upTo: time)
    }

    /// Ends the recording at a stop, a time of the session's clock: the last frame lasts until
    /// then, but at least as long as the frames of its device usually do.
    mutating func finish(atStop stop: MediaTime, frameDuration: MediaTime) -> [Sample] {
        guard hasVideo, stop.isNumeric, firstTime.isNumeric, !end.isNumeric, !isPaused else {
            return finish(at: nil)
        }
        let last = lastTime + pausedDuration
        // Not all devices state a duration, and the last one may be that of a still picture.
        let usual = frameDuration.isNumeric ? frameDuration : MediaTime(value: 1, timescale: 30)
        var time = max(stop, last + usual)
        if stop - last > Self.patience {
            // The device has stopped, and only audio shows that the recording has continued.
            let heard = held.last.map { max(audioEnd, $0.endTime) } ?? audioEnd
            time = max(segmentEnd, min(stop, heard))
        }
        if limit.isNumeric { time = min(time, firstTime + limit + pausedDuration) }
        lastDuration = time - last
        return finish(at: time)
    }

    /// The end of the file's session, to which the last frame lasts; `invalid` while it is not
    /// known, and for audio alone.
    var sessionEnd: MediaTime {
        guard hasVideo, end.isNumeric, lastTime.isNumeric else { return .invalid }
        let time = end - pausedDuration
        if time - lastTime <= Self.patience { return time }
        // The device has stopped. The last frame lasts as long as the audio.
        let step = lastDuration.isNumeric ? min(lastDuration, Self.patience) : .zero
        return max(lastTime + step, audioEnd - pausedDuration)
    }

    // MARK: - Video

    /// Adds a frame. Returns the samples to write next.
    mutating func add(
        _ frame: PixelBuffer, at time: MediaTime, duration: MediaTime
    ) -> [Sample] {
        guard !end.isNumeric else { return [] }
        if !firstTime.isNumeric {
            (firstTime, lastTime, lastDuration) = (time, time, duration)
            audioEnd = time
            isPaused = false
        }
        var samples: [Sample] = []
        var moved = time - pausedDuration
        let step = lastDuration.isNumeric ? lastDuration : .zero
        if isPaused {
            // So much time is left out that this frame begins one frame duration after the last
            // one.
            let left = max(.zero, moved - (lastTime + step))
            samples += release(upTo: time - left)
            fillAudio(upTo: time - left, &samples)
            pausedDuration += left
            audioEnd = time
            moved = time - pausedDuration
            isPaused = false
        }
        // A longer gap is a stall, and not the duration of a frame.
        if moved > lastTime, moved - lastTime <= Self.patience { lastDuration = moved - lastTime }
        if limit.isNumeric, moved - firstTime >= limit {
            hasReachedLimit = true
            end = firstTime + limit + pausedDuration
            return samples + release(upTo: end)
        }
        lastTime = moved
        segmentEnd = time + (lastDuration.isNumeric ? lastDuration : .zero)
        samples.append(.frame(frame, moved))
        samples += release(upTo: segmentEnd)
        // If no audio arrives for a second, its device has stopped, and the file continues with
        // silence.
        if time - audioEnd > Self.patience { fillAudio(upTo: time - Self.margin, &samples) }
        return samples
    }

    /// Adds silence in place of audio that did not arrive.
    private mutating func fillAudio(upTo time: MediaTime, _ samples: inout [Sample]) {
        guard let audioFormat, audioEnd.isNumeric else { return }
        let count = Self.frames(time - audioEnd, audioFormat)
        guard count > 0 else { return }
        samples.append(
            .audio(
                AudioBuffer(
                    format: audioFormat, presentationTime: audioEnd - pausedDuration,
                    frameCount: count
                ) { _ in }))
        audioEnd += Self.duration(count, audioFormat)
    }

    // MARK: - Audio

    /// Adds audio. Returns the samples to write next.
    mutating func add(_ audio: AudioBuffer) -> [Sample] {
        guard audio.format == audioFormat, !isComplete else { return [] }
        guard hasVideo else { return addAlone(audio) }
        held.append(audio)
        if end.isNumeric { return release(upTo: end) }
        let newest = audio.endTime
        guard firstTime.isNumeric, !isPaused else {
            // Frames may be late, but not by a second.
            held.removeAll { $0.endTime < newest - Self.patience }
            return firstTime.isNumeric ? release(upTo: segmentEnd) : []
        }
        // If no frame arrives for a second, its device has stopped, and the audio continues alone.
        return release(upTo: max(segmentEnd, newest - Self.patience))
    }

    /// Adds audio to a recording without video.
    private mutating func addAlone(_ audio: AudioBuffer) -> [Sample] {
        if !firstTime.isNumeric {
            (firstTime, lastTime) = (audio.presentationTime, audio.presentationTime)
            audioEnd = audio.presentationTime
            isPaused = false
        }
        if isPaused {
            pausedDuration += max(.zero, audio.presentationTime - audioEnd)
            audioEnd = audio.presentationTime
            isPaused = false
        }
        held.append(audio)
        var until = audio.endTime
        if limit.isNumeric, until - pausedDuration - firstTime >= limit {
            hasReachedLimit = true
            end = firstTime + limit + pausedDuration
            until = end
        }
        segmentEnd = until
        lastTime = until - pausedDuration
        return release(upTo: until)
    }

    /// Takes the held audio up to a time of the session's clock, without the part that is in the
    /// file already.
    private mutating func release(upTo limit: MediaTime) -> [Sample] {
        guard let audioFormat, limit.isNumeric, audioEnd.isNumeric else { return [] }
        var samples: [Sample] = []
        while let audio = held.first, audio.presentationTime < limit {
            let start = audio.presentationTime
            let first = max(0, min(Self.frames(audioEnd - start, audioFormat), audio.frameCount))
            let last = max(first, min(Self.frames(limit - start, audioFormat), audio.frameCount))
            if last > first {
                let time = start + Self.duration(first, audioFormat)
                samples.append(.audio(audio.part(first..<last, at: time - pausedDuration)))
                audioEnd = max(audioEnd, start + Self.duration(last, audioFormat))
            }
            if last < audio.frameCount {
                if last > 0 {
                    held[0] = audio.part(
                        last..<audio.frameCount, at: start + Self.duration(last, audioFormat))
                }
                break
            }
            held.removeFirst()
        }
        return samples
    }

    /// The number of sample frames in a duration, rounded.
    private static func frames(_ duration: MediaTime, _ format: AudioFormat) -> Int {
        Int(duration.converted(toTimescale: Int32(clamping: format.sampleRate)).value)
    }

    /// The duration of sample frames, rounded to nanoseconds like the times of devices.
    private static func duration(_ frames: Int, _ format: AudioFormat) -> MediaTime {
        MediaTime(
            nanoseconds: Int64((Double(frames) * 1e9 / Double(format.sampleRate)).rounded()))
    }
}
