// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The requests from a player and its item.
extension ItemPipeline {
    /// Requests a seek. It replaces a pending seek and pending steps.
    func request(_ seek: Seek, isLeaving: Bool = false) {
        if !post(.seek(seek, isLeaving: isLeaving)) { seek.completion?(false) }
    }

    /// Moves back to `time`, so that the item can follow another item once more.
    func rewind(to time: MediaTime) {
        // Leaving and seeking are a single event. Between two events, the item would appear to be
        // at its end and ready to follow.
        request(Seek(target: time), isLeaving: true)
    }

    /// Declares that the item starts when another item ends, or cancels such a declaration.
    ///
    /// - Returns: a closure that notifies clients, to be called without a lock; nil if nothing has
    ///   changed.
    func follow(_ succession: Succession?) -> (@Sendable () -> Void)? {
        let master = timebase.ultimateMasterClock
        let (hasChanged, after) = perform(
            .follow(
                succession,
                start: succession.map { $0.clock.convert($0.time, to: master) } ?? .invalid,
                remaining: succession.map { $0.time - $0.clock.time } ?? .invalid))
        guard hasChanged else { return nil }
        timelineChanged()
        wakeAudioWriters()
        return { [self] in perform(after) }
    }

    /// Makes the item the current one of its player, so that it no longer follows another item.
    ///
    /// - Parameter rate: The rate of the player. The item sets it to 0 when nothing is left to
    ///   play.
    func becomeCurrent(keepingStart: Bool, _ rate: PlayerRate) {
        _ = perform(.becomeCurrent(keepingStart: keepingStart), always: true) {
            $0.playerRate = rate
        }
        timelineChanged()
    }

    /// Sets the timeline's clock to the chosen clock. If none was chosen, the clock of the audio
    /// device is used; without an audio device, `fallback` is used. The position of the playhead
    /// does not change.
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
        timelineChanged()
        post(.look)
    }

    /// Sets the volume. It also applies to a renderer that is created later.
    func setVolume(_ volume: Float) {
        control.change { control in
            control.volume = volume
            control.renderer?.volume = volume
            for feed in control.further.feeds { feed.renderer.volume = volume }
        }
    }

    // MARK: Tracks

    func setVideoEnabled(_ isEnabled: Bool, track: AssetTrack) {
        guard post(.setVideoEnabled(isEnabled, track: track)) else {
            if isEnabled { noteTooManyVideoTracks(track) }
            return
        }
        route()
        tellOutputs(.willChange)
    }

    func setAudioEnabled(_ isEnabled: Bool, track: AssetTrack) {
        post(.setAudioEnabled(isEnabled, track: track))
    }

    /// Chooses the audio track that plays, by its identifier; nil for silence. If the item is not
    /// ready, the choice is applied later.
    func chooseAudio(_ identifier: Int?) { switchAudio(.chooseAudio(identifier)) }

    private func switchAudio(_ event: TransportEvent) {
        let (_, after) = perform(event)
        // In reverse and at the end, the track is not read until later, but its mix is known.
        applyAudioMix()
        perform(after)
        disposeOfEndedAudio()
    }

    /// Switches to an audio track that was chosen while the item was becoming ready, but too late
    /// to be used from the start.
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
        for track in further {
            if track.mediaType == .video {
                setVideoEnabled(true, track: track)
            } else {
                setAudioEnabled(true, track: track)
            }
        }
    }
}
