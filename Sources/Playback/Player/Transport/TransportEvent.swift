// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// An event of an item's transport: a request, or something that its threads or timers report.
enum TransportEvent: Sendable {
    typealias Completion = @Sendable (Bool) -> Void

    // MARK: Requests

    /// A rate; see `Player.rate`.
    case setRate(Double, isImmediate: Bool)
    case setRateAdjustment(Double)
    case declare(DeclaredStart)
    /// Answered with whether it was accepted.
    case preroll(Completion)
    case cancelPrerolls
    /// A seek; with `isLeaving`, the item stops being its player's current one in the same step.
    /// Answered with whether it was accepted.
    case seek(Seek, isLeaving: Bool)
    case cancelSeeks
    case step(Int)
    case setEndAction(EndAction)
    case setEnds(forward: MediaTime?, reverse: MediaTime?)
    case setWaitsToMinimizeStalling(Bool)
    case setPreferredDuration(MediaTime)
    case setReverseByteLimit(Int)
    /// Answered with whether the track is the one that plays.
    case setVideoEnabled(Bool, track: Int)
    case setAudioEnabled(Bool, track: AssetTrack)
    /// An audio track, to be played alone, by its identifier; nil for silence. Answered with
    /// whether another track plays.
    case chooseAudio(Int?)
    /// The audio track that an item begins with; nil leaves the choice to the file.
    case setAudioChoice(Int?)
    /// The audio tracks that an item begins with besides.
    case setFurtherAudioChoice(Set<Int>)

    // MARK: The queue of items

    /// A start for another item's end, or none any more: the start by the timeline's master, and
    /// the time until then. Answered with whether anything has changed.
    case follow(Succession?, start: MediaTime, remaining: MediaTime)
    case becomeCurrent(keepingStart: Bool)
    case leave

    // MARK: Opening and closing

    case begin(waitsToMinimizeStalling: Bool, endAction: EndAction)
    /// The asset is open.
    case opened(hasTransfer: Bool, limits: MediaLimits)
    case ready(
        AssetDescription, video: AssetTrack?, audio: AssetTrack?, choosableAudio: Set<Int>)
    /// A declaration from before the item was open can be applied.
    case applyDeclaredStart
    case fail(MediaError)
    case close
    /// A player has released the item, and it is to be played again.
    case reuse(MediaError)

    // MARK: Reading

    /// The demuxer moves for a seek. Answered with whether that is the one in progress.
    case demuxerHasBegun(generation: Int)
    /// The demuxer has moved to the keyframe after the target.
    case startsLate(generation: Int)
    case readingFailed(MediaError, generation: Int)
    case readToEnd([Int: MediaTime])
    /// There is another packet. Answered with whether work waits for it.
    case packetsAdvanced
    case learnedKeyframes(KeyframeIndex)
    /// The packet queue's answer to `TransportAction.redirect`.
    case redirected(Bool)

    // MARK: Decoding

    /// Something may have become possible: a decoder has run dry, a timer has fired.
    case look
    case endAlarm
    case dryAlarm
    /// The timeline has just started: the media that it starts with may be all there is.
    case started
    /// There is another frame, which ends then.
    case videoAdvanced(to: MediaTime?, generation: Int)
    case videoEnded(at: MediaTime, generation: Int)
    case audioEnded(at: MediaTime, generation: Int)
    case audioFlushed(generation: Int)
    /// An audio track beside the selected one has been decoded to its end, or cannot be decoded.
    case furtherAudioEnded(track: Int, at: MediaTime, generation: Int)
    case furtherAudioFailed(track: Int)
    /// The video decoder can still show every frame from this time on.
    case videoReaches(MediaTime?, generation: Int)
    /// A frame on the way to a target was shown.
    case shown(generation: Int)
    /// Frames before a time were skipped.
    case approximate(until: MediaTime, generation: Int)
    /// A seek lands at another time than its target.
    case land(at: MediaTime, generation: Int)
    case repeatSeek(SeekChange, generation: Int)
    /// Answered with whether a declared start is repeated.
    case repeatJump(generation: Int)
    case readAgain(generation: Int)
    case endStepsBack(generation: Int)
    case clockChanged
}

/// A change of a seek that is repeated.
enum SeekChange: Sendable {
    case none
    /// Frames on the way are decoded even if no other refers to them.
    case decodingAll(Bool)
    /// Decoding begins before the target.
    case notLate
    /// Decoding begins further back.
    case fartherBack
}
