// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Something that the pipeline does for the transport, in the order in which it is asked.
enum TransportAction: Sendable {
    // MARK: With the lock held

    /// Sets the stopped timeline to a time.
    case moveTimeline(to: MediaTime)
    /// Runs the timeline from a time of its master on, and until then holds it.
    case startTimeline(rate: Double, time: MediaTime, masterTime: MediaTime)
    /// Stops the running timeline, and audio with it.
    case stopTimeline
    /// Changes the rate of the running timeline, from a future start on if that is given.
    case changeRate(Double, startMasterTime: MediaTime?)
    /// Keeps the frames that may have been drawn for times after this one.
    case recordDrawnAhead(at: MediaTime, rate: Double)
    /// Begins a generation of frames; the visible one stays.
    case restartFrames(generation: Int, isRunning: Bool, reverseByteLimit: Int?)
    case restartPackets(generation: Int)
    /// Asks the packet queue to continue with its packets; answered by an event.
    case redirect(generation: Int, to: MediaTime, leading: Int, index: KeyframeIndex)
    case playTracks(Set<Int>)
    case startReverseThread
    case resumeAudio
    case wakeAudio
    case cancelWaking
    case setMuted(Bool)
    /// Sets the rate of the player whose current item this is: the requested one, or 0 if nothing
    /// is left to play.
    case setPlayerRate(Double)
    /// Mutes an audio track beside the selected one, or begins to play it.
    case setFurtherAudio(AssetTrack, isEnabled: Bool)
    case endFurtherAudio
    case watchForUnderrun
    case setAudioEnd(MediaTime)
    case setVisibleEnd(MediaTime)
    case setBounds(PacketBounds)
    case showKeptFrame(at: MediaTime, generation: Int)
    case setAlarm(TransportAlarm, at: MediaTime)
    /// Begins to measure how long the timeline holds, from an item time on.
    case watchHold(from: MediaTime)
    /// Checks again at a time of the transfer's clock.
    case setPatience(until: MediaTime)
    /// Handles `look`, or `started`, after the actions before this one.
    case look
    case lookAtStart

    // MARK: After that, without the lock

    case complete(TransportEvent.Completion, Bool)
    /// The timeline has been started, stopped or moved.
    case timelineChanged
    /// All waiting threads continue with a new generation.
    case seekBegan
    case wakeAudioWriter
    case clearKeptFrames
    /// Another frame is visible, or will be.
    case tellOutputs
    case announce(PipelineEvent)
    /// The answer to the event.
    case answer(Bool)

    /// A Boolean value that indicates whether it is performed with the lock held.
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
    /// At the end of playback.
    case end
    /// At the end of the decoded media.
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
