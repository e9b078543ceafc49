// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// The content of a synthetic asset and its storage, from which a `SyntheticAsset` is created.
///
///     var media = SyntheticMedia(
///         frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: tenSeconds))
///     media.width = 640
///     media.height = 360
///     let asset = SyntheticAsset(media)
///
/// - Concurrency: a value; any thread. Hooks run on the threads that read and decode.
public struct SyntheticMedia: Sendable {
    /// The name of the asset for display.
    public var name = "synthetic"
    /// The width of the frames, in pixels. Frames of at least 256 x 32 pixels show their number in
    /// blocks of 16 pixels.
    public var width = 320
    /// The height of the frames, in pixels.
    public var height = 180
    /// The format of the frames. It may be any format with integer samples of up to 16 bits.
    public var pixelFormat = PixelFormat.yuv420p
    package var attachments = PixelBufferAttachments(
        color: ColorAttachments(
            matrix: .bt709, range: .limited, primaries: .bt709, transfer: .bt709,
            chromaLocation: .left))
    /// The times of the frames; nil for media without video.
    public var frameTimes: SyntheticFrameTimes?
    /// The number of frames from one keyframe to the next. Decoding can begin only at keyframes.
    package var keyframeInterval = 1
    /// The number of B-frames between two reference frames. B-frames are stored after both
    /// reference frames, so packets are reordered. No other frame depends on a B-frame.
    package var bidirectionalFrames = 0
    /// The number that the first frame shows.
    package var firstNumber = 0
    /// The audio tracks; empty for a video without audio.
    public var sounds: [SyntheticSound]
    /// The video tracks in addition to the first one, which must exist. They have no B-frames and
    /// no faults.
    package var furtherVideos: [SyntheticVideo] = []
    /// The distance in the file, as a duration, from video to the audio that plays with it. If it
    /// is positive, the audio is stored after the video; if it is negative, before the video.
    package var soundStorageDelay = MediaTime.zero
    /// A Boolean value that indicates whether the description states the duration. The descriptions
    /// of live streams do not.
    package var declaresDuration = true
    /// The chapters of the asset.
    public var chapters: [Chapter] = []
    /// The faults of the asset.
    package var faults = SyntheticFaults()
    /// The monitor of a simulated transfer. If it is set, it is the demuxer's `transfer`, and it
    /// records the time that `SyntheticFaults.willReadPacket` waits. On a simulated network with a
    /// manual clock, playback stalls, waits and continues in the same way in each run.
    package var transfer: TransferMonitor?

    /// Creates media with ticks and flashes.
    ///
    /// - Parameters:
    ///   - frameTimes: The times of the frames; by default, two seconds at 30 frames per second.
    ///     Nil means audio only.
    ///   - sounds: The audio tracks; by default, one stereo track with the duration of the video.
    public init(
        frameTimes: SyntheticFrameTimes? = SyntheticFrameTimes(
            framesPerSecond: 30, duration: MediaTime(value: 2, timescale: 1)),
        sounds: [SyntheticSound]? = nil
    ) {
        self.frameTimes = frameTimes
        self.sounds = sounds ?? frameTimes.map { [SyntheticSound(duration: $0.end)] } ?? []
    }

    /// The duration from zero to the end of the longest track.
    public var duration: MediaTime {
        let ends = sounds.map(\.duration) + furtherVideos.map(\.frameTimes.end)
        return (ends + [frameTimes?.end ?? .zero]).max() ?? .zero
    }

    /// Returns the image of frame `index` in presentation order.
    package func picture(ofFrame index: Int) -> SyntheticPicture {
        SyntheticPicture(
            number: (firstNumber + index) % FrameNumberStrip.limit, width: width, height: height,
            isFlash: isFlash(frame: index))
    }

    /// Returns whether a frame flashes. Frames that begin within the first eighth of a second
    /// flash.
    private func isFlash(frame index: Int) -> Bool {
        guard let time = frameTimes?.time(of: index) else { return false }
        let second = time.converted(toTimescale: 1, method: .roundTowardNegativeInfinity)
        return time - MediaTime(value: second.value, timescale: 1)
            < MediaTime(value: 1, timescale: 8)
    }
}
