// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The requests of a player and its item.
extension ItemPipeline {
    /// Requests another time. Supersedes a pending seek, and steps.
    func request(_ seek: Seek, isLeaving: Bool = false) {
        if !post(.seek(seek, isLeaving: isLeaving)) { seek.completion?(false) }
    }

    /// Moves back to `time`, to follow another item once more.
    func rewind(to time: MediaTime) {
        // In one step: halfway, it would look like an item at its end that is ready to follow.
        request(Seek(target: time), isLeaving: true)
    }

    /// Declares the start for another item's end, or cancels it.
    ///
    /// - Returns: a closure to call without a lock, which notifies clients; nil if nothing has
    ///   changed.
    func follow(_ succession: Succession?) -> (@Sendable () -> Void)? {
        let master = timebase.ultimateMasterClock
        let (hasChanged, after) = perform(
            .follow(
                succession,
                start: succession.map { $0.clock.convert($0.time, to: master) } ?? .invalid,
                remaining: succession.map { $0.time - $0.clock.time } ?? .invalid))
        guard hasChanged else { return nil }
        frames.timelineChanged()
        wakeAudioWriters()
        return { [self] in perform(after) }
    }

    /// Makes the item its player's current one, which follows no other any more.
    ///
    /// - Parameter rate: The rate of the player, which the item ends when nothing is left to play.
    func becomeCurrent(keepingStart: Bool, _ rate: PlayerRate) {
        _ = perform(.becomeCurrent(keepingStart: keepingStart), always: true) {
            $0.playerRate = rate
        }
        frames.timelineChanged()
    }

    /// Sets the timeline's clock: the chosen clock, else that of the audio device, else the
    /// player's own. Keeps the playhead where it is.
    func setMasterClock(chosen: (any MediaClock)?, fallback: any MediaClock) {
        let hasChanged = control.change { control -> Bool in
            control.chosenClock = chosen
            control.fallbackClock = fallback
            let clock = chosen ?? control.renderer?.sink.clock ?? fallback
            guard timebase.ultimateMasterClock !== clock else { return false }
            timebase.master = .clock(clock)
            return true
        }
        if hasChanged { post(.clockChanged) }
        frames.timelineChanged()
        post(.look)
    }

    /// Sets the volume, also for a renderer that does not exist yet.
    func setVolume(_ volume: Float) {
        control.change { control in
            control.volume = volume
            control.renderer?.volume = volume
            for feed in control.further.feeds { feed.renderer.volume = volume }
        }
    }

    // MARK: Tracks

    func setVideoEnabled(_ isEnabled: Bool, track: Int) {
        let (hasChanged, _) = perform(.setVideoEnabled(isEnabled, track: track)) { _ in
            offersVideo.store(isEnabled, ordering: .relaxed)
        }
        if hasChanged { tellOutputs(.willChange) }
    }

    func setAudioEnabled(_ isEnabled: Bool, track: AssetTrack) {
        post(.setAudioEnabled(isEnabled, track: track))
    }

    /// Chooses the audio track to be played alone by its identifier, nil for silence; if the item
    /// is not ready, for later.
    func chooseAudio(_ identifier: Int?) { switchAudio(.chooseAudio(identifier)) }

    private func switchAudio(_ event: TransportEvent) {
        let (isSwitched, after) = perform(event)
        if isSwitched { applyAudioMix() }
        perform(after)
        disposeOfEndedAudio()
    }

    /// Switches to the track that was chosen while the item became ready, too late to begin with
    /// it.
    func applyAudioChoice() {
        let track = control.withLock { control -> AssetTrack? in
            guard !control.isAudioDisabled, control.chosenAudioTrack != control.audioTrack?.id
            else { return nil }
            return control.description?.tracks.first { $0.id == control.chosenAudioTrack }
        }
        if let track { chooseAudio(track.id) }
        let further = control.withLock { control in
            control.description?.tracks.filter {
                control.transport.tracks.furtherChoice.contains($0.id)
            } ?? []
        }
        for track in further { setAudioEnabled(true, track: track) }
    }
}
