// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A read-only view of the clocks, and of the media that has been read and decoded.
///
/// No member changes anything or waits.
protocol TransportView {
    /// The packets that wait to be decoded.
    var packets: PacketLevel { get }
    /// A Boolean value that indicates whether media is shown as it arrives, and not loaded ahead.
    var followsArrival: Bool { get }
    /// Returns the item time of the media that is due at a host time; nil if nothing has arrived,
    /// and for media that is loaded ahead.
    func arrivingTime(atHostNanoseconds nanoseconds: Int64, offset: MediaTime) -> MediaTime?
    /// The transfer of the asset; nil if no data is transferred.
    var transfer: TransferReading? { get }

    // MARK: Frames

    /// Returns whether enough video has been decoded to start at a time.
    func isVideoPrimed(at time: MediaTime) -> Bool
    func hasFrame(after time: MediaTime) -> Bool
    /// Returns whether the frame that is visible at a time has ended, but the next frame is
    /// missing.
    func isStarved(at time: MediaTime) -> Bool
    /// Returns the beginning of the frame that is visible at a time; nil if there are no frames.
    func frameStart(at time: MediaTime) -> MediaTime?
    /// Returns `time`, or the beginning of the visible frame if that frame was drawn ahead of a
    /// timeline that is at `time`.
    func seenTime(at time: MediaTime) -> MediaTime
    /// Moves by up to `count` frames from `time`, as far as frames have been decoded. Returns the
    /// time of the frame that is reached, the number of frames moved, and whether that frame is the
    /// last one.
    func step(
        from time: MediaTime, by count: Int
    ) -> (time: MediaTime, taken: Int, isLast: Bool)
    /// A Boolean value that indicates whether nothing more is decoded until the playhead moves.
    var isVideoFullOrEnded: Bool { get }
    /// The end of the last decoded frame; `invalid` if unknown.
    var framesEnd: MediaTime { get }
    /// Returns whether the frame that is visible at `time` was kept during scrubbing. False means
    /// that only other frames were kept; nil means that no frames were kept.
    func keptFrame(at time: MediaTime, byteLimit: Int) -> Bool?

    /// Returns whether each enabled video track other than the first one has a frame of a
    /// generation, or certainly has no frame for now.
    func haveFurtherPictures(generation: Int) -> Bool
    /// Returns whether enough of each enabled video track other than the first one has been decoded
    /// to start at a time.
    func areFurtherPicturesPrimed(at time: MediaTime, generation: Int) -> Bool

    /// Returns whether another enabled track than the first video track and the selected audio
    /// track has decoded media of a generation after a time.
    func hasFurtherMedia(after time: MediaTime, generation: Int) -> Bool

    // MARK: Audio

    var hasAudio: Bool { get }
    /// Returns whether enough audio has been decoded to start at a time.
    func isAudioPrimed(at time: MediaTime) -> Bool
    /// Returns whether enough audio of the tracks that play in addition to the selected one has
    /// been decoded to start at a time.
    func areFurtherTracksPrimed(at time: MediaTime, generation: Int) -> Bool
    /// The end of the decoded audio that has not been heard yet; `invalid` without audio.
    var bufferedAudioEnd: MediaTime { get }
    /// The end of the audio that has been decoded; nil without audio, or if its device has failed.
    var enqueuedAudioEnd: MediaTime? { get }
    var audioLatency: MediaTime { get }
    /// A Boolean value that indicates whether audio can be heard. It is true if there is no audio.
    var isAudioAwake: Bool { get }
    /// The amount of silence that the device has received because audio was missing.
    var underrunFrames: Int { get }
    /// The item time of the first sample that the device has missed.
    var firstMissedTime: MediaTime? { get }

    /// Returns the earliest end of decoded audio, and of decoded video, among the additional tracks
    /// whose decoders wait for packets; nil if there are no such tracks.
    func furtherDryTimes(_ level: PacketLevel) -> (sound: MediaTime?, pictures: MediaTime?)

    // MARK: Clocks

    /// Returns the time of the timeline's master at a host time.
    func masterTime(atHostTime hostTime: MediaTime) -> MediaTime
    /// Returns the first time of the timeline's master, from `start` on, at which the frame that is
    /// visible at `anchor` begins at a vsync.
    func alignedToVsync(_ start: MediaTime, anchor: MediaTime, rate: Double) -> MediaTime
    /// The time for which the timeline has been on hold; nil if it is not on hold.
    var heldDuration: MediaTime? { get }
}

/// A transfer at one moment.
struct TransferReading: Sendable {
    /// A Boolean value that indicates whether playback has to wait for decoders that have run out
    /// of data.
    var isSlow = false
    /// The time of the transfer's clock, and the time since which data has been waited for. The
    /// latter is not numeric while no data is waited for.
    var now = MediaTime.zero
    var waitingSince = MediaTime.invalid
    /// The total waiting time, in nanoseconds, and the number of bytes received.
    var waited: Int64 = 0
    var byteCount: Int64 = 0
}
