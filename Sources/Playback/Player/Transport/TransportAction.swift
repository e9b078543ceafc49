// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// An action that the pipeline performs for the transport. Actions are performed in order.
enum TransportAction: Sendable {
    // MARK: With the lock held

    /// Sets the time of the stopped timeline.
    case moveTimeline(to: MediaTime)
    /// Holds the timeline until a time of its master, and runs it from then on.
    case startTimeline(rate: Double, time: MediaTime, masterTime: MediaTime)
    /// Stops the running timeline and the audio.
    case stopTimeline
    /// Changes the rate of the running timeline: at once if the start is nil, and at the given
    /// future start if it is not.
    case changeRate(Double, startMasterTime: MediaTime?)
    /// Records that frames may have been drawn ahead of this time, so that they stay visible.
    case recordDrawnAhead(at: MediaTime, rate: Double)
    /// Begins a generation of frames. The visible frame stays.
    case restartFrames(generation: Int, isRunning: Bool, reverseByteLimit: Int?)
    case restartPackets(generation: Int)
    /// Lets the demuxer of a live stream wait for data again, because it moves, or because it no
    /// longer has to.
    case resumeReading
    /// Asks the packet queue to continue with its packets. An event contains the answer.
    case redirect(generation: Int, to: MediaTime, leading: Int, index: KeyframeIndex)
    case playTracks(Set<Int>)
    case startReverseThread
    case resumeAudio
    case wakeAudio
    case cancelWaking
    case setMuted(Bool)
    /// Sets the rate of the player whose current item this is. It is the requested rate, or 0 if
    /// nothing is left to play.
    case setPlayerRate(Double)
    /// Starts or mutes an audio track that plays in addition to the selected one.
    case setFurtherAudio(AssetTrack, isEnabled: Bool)
    case endFurtherAudio
    /// Hides a video track other than the first one, or begins to play it.
    case setFurtherVideo(AssetTrack, isEnabled: Bool)
    case watchForUnderrun
    case setAudioEnd(MediaTime)
    /// Sets the item time at which audio ends in reverse.
    case setReverseAudioEnd(MediaTime)
    /// Sets the item time before which the running timeline is silent; `invalid` for none.
    case setAudioStart(MediaTime)
    /// Discards frames behind the playhead, which were not to be shown.
    case passOverFrames
    case setVisibleEnd(MediaTime)
    case setBounds(PacketBounds)
    case showKeptFrame(at: MediaTime, generation: Int)
    case setAlarm(TransportAlarm, at: MediaTime)
    /// Begins to measure how long the timeline is on hold at an item time.
    case watchHold(from: MediaTime)
    /// Makes the transport check the buffer level again at a time of the transfer's clock.
    case setPatience(until: MediaTime)
    /// Handles the event `look` after the actions that precede this one.
    case look
    /// Handles the event `started` after the actions that precede this one.
    case lookAtStart

    // MARK: After that, without the lock

    case complete(TransportEvent.Completion, Bool)
    /// Notifies the threads that the timeline has been started, stopped or moved.
    case timelineChanged
    /// Makes all waiting threads continue with a new generation.
    case seekBegan
    case wakeAudioWriter
    case clearKeptFrames
    /// Notifies outputs that another frame is visible or will be visible.
    case tellOutputs
    case announce(PipelineEvent)
    /// Sets the answer to the event.
    case answer(Bool)

    /// A Boolean value that indicates whether the action is performed with the lock held.
    var needsLock: Bool {
        switch self {
        case .complete, .timelineChanged, .seekBegan, .wakeAudioWriter, .clearKeptFrames,
            .tellOutputs, .announce, .answer:
            false
        default: true
        }
    }
}

/// A timer on the timeline.
enum TransportAlarm: Sendable {
    /// A timer that fires when playback reaches its end.
    case end
    /// A timer that fires when playback reaches the end of the decoded media.
    case dry
}

/// An event that a pipeline reports to its player.
enum PipelineEvent: Sendable {
    /// Decoding has progressed, or the timeline has changed.
    case advanced
    /// The playhead has reached the end.
    case ended
    /// The item cannot be played.
    case failed
}
