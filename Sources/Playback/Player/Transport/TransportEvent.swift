// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// An event for an item's transport: a request, or a report of its threads or timers. Some events
/// have an answer, true or false, which `ItemPipeline.post` returns.
enum TransportEvent: Sendable {
    typealias Completion = @Sendable (Bool) -> Void

    // MARK: Requests

    /// Sets the rate; see `Player.rate`.
    case setRate(Double, isImmediate: Bool)
    case setRateAdjustment(Double)
    case declare(DeclaredStart)
    /// Requests a preroll. The answer is whether it was accepted.
    case preroll(Completion)
    case cancelPrerolls
    /// Requests a seek. With `isLeaving`, the item also stops being the current item of its player.
    /// The answer is whether the seek was accepted.
    case seek(Seek, isLeaving: Bool)
    case cancelSeeks
    case step(Int)
    case setEndAction(EndAction)
    case setEnds(forward: MediaTime?, reverse: MediaTime?)
    /// Sets a range to repeat; a count of −1 repeats without limit, and an end of `invalid` is the
    /// end of the item.
    case setLoop(from: MediaTime, to: MediaTime, count: Int)
    case setWaitsToMinimizeStalling(Bool)
    case setPreferredDuration(MediaTime)
    case setReverseByteLimit(Int)
    /// Sets the distance from the live edge at which a live stream is played; `invalid` to use the
    /// recommended one.
    case setLiveOffset(MediaTime)
    case setPreservesLiveOffset(Bool)
    /// Enables or disables a video track. The answer is whether the track could be enabled or
    /// disabled.
    case setVideoEnabled(Bool, track: AssetTrack)
    case setAudioEnabled(Bool, track: AssetTrack)
    /// Makes an audio track the only one that plays, by its identifier; nil for silence. The answer
    /// is whether another track plays now.
    case chooseAudio(Int?)
    /// Sets the audio track that the item begins with; nil to use the track that the file prefers.
    case setAudioChoice(Int?)
    /// Sets the additional tracks, audio and video, that the item begins with.
    case setFurtherAudioChoice(Set<Int>)

    // MARK: The queue of items

    /// Declares a start at another item's end; nil cancels it. `start` is the time of that end on
    /// the timeline's master, and `remaining` the time until then. The answer is whether anything
    /// has changed.
    case follow(Succession?, start: MediaTime, remaining: MediaTime)
    case becomeCurrent(keepingStart: Bool)
    /// Lets another item take over at a time of this item. The answer is whether the other item
    /// will take over.
    case handOver(at: MediaTime)
    case leave

    // MARK: Opening and closing

    case begin(waitsToMinimizeStalling: Bool, endAction: EndAction)
    /// The asset is open.
    case opened(hasTransfer: Bool, limits: MediaLimits)
    case ready(
        AssetDescription, video: AssetTrack?, audio: AssetTrack?, choosableAudio: Set<Int>)
    /// A declared start that was requested before the item was open can be applied.
    case applyDeclaredStart
    case fail(MediaError)
    case close
    /// A player received the item again after a player had removed it. The item fails with this
    /// error.
    case reuse(MediaError)

    // MARK: Reading

    /// The demuxer moves for a seek. The answer is whether that seek is still in progress.
    case demuxerHasBegun(generation: Int)
    /// The demuxer has moved to the keyframe after the target.
    case startsLate(generation: Int)
    case readingFailed(MediaError, generation: Int)
    case readToEnd([Int: MediaTime])
    /// The packet queue has another packet, or a wait for more data has ended. The answer is
    /// whether `look` must follow, because work is waiting for packets or the buffering status has
    /// changed.
    case packetsAdvanced
    case learnedKeyframes(KeyframeIndex)
    /// The window of a live stream has moved.
    case live(LiveWindow)
    /// The target of a seek has left the window of a live stream. The demuxer has moved to the
    /// oldest segment, which begins at this time.
    case targetIsGone(oldest: MediaTime, generation: Int)
    /// The packet queue has answered `TransportAction.redirect`.
    case redirected(Bool)

    // MARK: Decoding

    /// The transport must check its state again. For example, a decoder has run out of data, or a
    /// timer has fired.
    case look
    case endAlarm
    case dryAlarm
    /// The timeline has just started. The decoders may already have run out of data, or it may have
    /// started at the end.
    case started
    /// There is another frame, which ends at this time.
    case videoAdvanced(to: MediaTime?, generation: Int)
    case videoEnded(at: MediaTime, generation: Int)
    case audioEnded(at: MediaTime, generation: Int)
    case audioFlushed(generation: Int)
    /// An audio track that plays in addition to the selected one has been decoded to its end, or
    /// cannot be decoded.
    case furtherAudioEnded(track: Int, at: MediaTime, generation: Int)
    case furtherAudioFailed(track: Int)
    /// A video track other than the first one has another frame, has been decoded to its end, or
    /// cannot be decoded.
    case furtherVideoAdvanced(generation: Int)
    case furtherVideoEnded(track: Int, at: MediaTime, generation: Int)
    case furtherVideoFailed(track: Int)
    /// The video decoder can still show every frame from this time on.
    case videoReaches(MediaTime?, generation: Int)
    /// An intermediate frame was shown before a seek reached its target.
    case shown(generation: Int)
    /// Frames before a time were skipped.
    case approximate(until: MediaTime, generation: Int)
    /// A seek lands at a time other than its target.
    case land(at: MediaTime, generation: Int)
    case repeatSeek(SeekChange, generation: Int)
    /// Requests that decoding is repeated for a declared start. The answer is whether it is
    /// repeated.
    case repeatJump(generation: Int)
    case readAgain(generation: Int)
    /// Requests that packets are read again from the playhead, by another demuxer.
    case reopen
    case endStepsBack(generation: Int)
    case clockChanged
}

/// A change that is made to a seek when it is repeated.
enum SeekChange: Sendable {
    case none
    /// Frames on the way are decoded even if they are non-reference frames.
    case decodingAll(Bool)
    /// Decoding begins at a keyframe before the target.
    case notLate
    /// Decoding begins farther back.
    case fartherBack
}
