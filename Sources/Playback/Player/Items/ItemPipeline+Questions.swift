// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime

/// State that is derived from the transport.
extension ItemPipeline.Control {
    var phase: ItemPhase { transport.tracks.phase }
    var isAlive: Bool { transport.tracks.isAlive }
    var description: AssetDescription? { transport.tracks.description }
    var videoTrack: AssetTrack? { transport.tracks.video }
    var audioTrack: AssetTrack? { transport.tracks.audio }
    var chosenAudioTrack: Int? { transport.tracks.chosenAudio }
    var isVideoDisabled: Bool { transport.tracks.isVideoDisabled }
    var isAudioDisabled: Bool { transport.tracks.isAudioDisabled }
    var hasVideo: Bool { transport.tracks.hasVideo }
    var videoEnd: MediaTime? { transport.tracks.videoEnd }
    var audioEnd: MediaTime? { transport.tracks.audioEnd }
    var readingError: MediaError? { transport.tracks.readingError }
    var audioGeneration: Int { transport.tracks.audioGeneration }

    var generation: Int { transport.seek.generation }
    var seek: Seek? { transport.seek.requested }
    var hasShownMove: Bool { transport.seek.hasShown }
    var direction: PlaybackDirection { transport.seek.direction }
    var exactFrom: MediaTime { transport.seek.exactFrom }
    var timeJumps: Int { transport.seek.jumpCount }
    var reverseByteLimit: Int { transport.seek.reverseByteLimit }

    var steps: [Int] { transport.steps.pending }

    var desiredRate: Double { transport.start.desiredRate }
    var rateAdjustment: Double { transport.start.rateAdjustment }
    var timelineRate: Double { transport.start.timelineRate }
    /// A Boolean value that indicates whether the item plays in reverse, or is about to, at a rate
    /// at which nothing is heard. Audio is not decoded then.
    var isSilentInReverse: Bool {
        direction == .reverse && timelineRate != 0
            && !AudioRenderer.isAudible(atRate: timelineRate.magnitude, by: timePitchAlgorithm)
    }
    var isRunning: Bool { transport.start.isRunning }
    var isRunningForward: Bool { transport.isRunningForward }
    var isPlaying: Bool { transport.isPlaying }
    var pendingStart: DeclaredStart? { transport.start.pending }
    var prerolls: [StartState.Completion] { transport.start.prerolls }
    var startMasterTime: MediaTime { transport.start.masterTime }

    var ending: EndState { transport.ending }
    var hasPlayedToEnd: Bool { transport.ending.hasPlayedToEnd }
    var endedInReverse: Bool { transport.ending.endedInReverse }
    var endCount: Int { transport.ending.count }
    var isOver: Bool { transport.ending.isOver }
    var playbackEnd: MediaTime? { transport.playbackEnd }
    var expectedEnd: MediaTime? { transport.expectedEnd }
    var reverseEnd: MediaTime { transport.reverseEnd }

    var buffering: BufferingState { transport.buffering }
    var waitsForLevel: Bool { transport.waitsForLevel }
}

extension ItemPipeline {
    /// Returns whether enough has been decoded to start. The lock is held.
    func isPrimed(_ control: Control) -> Bool {
        control.transport.isPrimed(
            at: timebase.time, PipelineView(pipeline: self, control))
    }

    /// The earliest time to which a seek can move, as far as it is known. The transport knows the
    /// beginning of a live stream's window when the seek begins.
    var firstTime: MediaTime {
        control.withLock { control in
            control.transport.live.window == nil
                ? control.description?.firstTime ?? .zero : .negativeInfinity
        }
    }

    /// Returns whether the audio that is heard within the next `time` on the clock has been
    /// decoded, as far as the ring buffer has space for it. Also returns true if no more audio will
    /// be decoded.
    func hasSound(ahead time: MediaTime) -> Bool {
        control.withLock { control in
            guard case .ready = control.phase, let renderer = control.renderer,
                let track = control.audioTrack
            else { return true }
            if !hasFurtherAudio(ahead: time, control) { return false }
            guard !control.isAudioDisabled, control.audioEnd == nil, !control.isSilentInReverse
            else { return true }
            guard control.audioGeneration == control.generation else { return false }
            if packets.isExhausted(track: track.id) { return true }
            return renderer.hasAudio(ahead: soundLead(time, control), at: timebase.time)
        }
    }

    /// Returns whether `hasSound(ahead:)` is true of the tracks that play in addition to the
    /// selected one.
    func hasFurtherAudio(ahead time: MediaTime, _ control: Control) -> Bool {
        guard control.direction == .reverse || !control.isAddingAudio else { return false }
        if control.isSilentInReverse { return true }
        return control.further.feeds.allSatisfy {
            $0.hasAudio(ahead: soundLead(time, control), generation: control.generation)
        }
    }

    /// Returns the duration of audio that must be available. It is less than the capacity of the
    /// ring buffer, because the writer waits for some space before it continues.
    func soundLead(_ time: MediaTime, _ control: Control) -> MediaTime {
        min(time * max(1, control.timelineRate.magnitude), MediaTime(value: 3, timescale: 4))
    }

    /// The time at which another item can follow, as far as it is known.
    var successionPlan: SuccessionPlan {
        control.withLock { control in
            if control.hasPlayedToEnd { return control.endedInReverse ? .open : .over }
            // At the end of a repetition, only the next repetition follows.
            guard case .ready = control.phase, control.isRunningForward, control.seek == nil,
                let end = control.expectedEnd,
                !control.transport.isLooping || control.transport.isHandedOver(at: end),
                let time = timebase.masterTime(at: end)
            else { return .open }
            return .at(
                Succession(
                    clock: timebase.ultimateMasterClock, time: time, rate: control.desiredRate))
        }
    }

    /// The time at which this item took over from another item, if its frames were shown before;
    /// `invalid` otherwise.
    var audioStart: MediaTime { control.withLock { $0.transport.start.audioStart } }

    /// The declared start of this item at the end of another item; nil if none was declared.
    var declaredSuccession: Succession? { control.withLock { $0.ending.succession?.moment } }

    /// Returns whether the end is known, and is less than `duration` away.
    func ends(within duration: MediaTime) -> Bool {
        guard case .at(let succession) = successionPlan else { return false }
        return succession.time - succession.clock.time < duration
    }
}
