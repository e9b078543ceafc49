// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The enabled tracks.
extension ItemPipeline {
    func setVideoEnabled(_ isEnabled: Bool, track: Int) {
        let hasChanged = control.change { control -> Bool in
            guard control.videoTrack?.id == track else { return false }
            control.isVideoDisabled = !isEnabled
            offersVideo.store(isEnabled, ordering: .relaxed)
            return true
        }
        if hasChanged { tellOutputs(.willChange) }
    }

    func setAudioEnabled(_ isEnabled: Bool, track: AssetTrack) {
        var isSwitched = false
        let renderer = control.change { control -> AudioRenderer? in
            guard control.choosableAudioTracks.contains(track.id), control.isAlive else {
                return nil
            }
            if isEnabled { control.chosenAudioTrack = track.id }
            if control.audioTrack?.id == track.id {
                control.isAudioDisabled = !isEnabled
            } else if isEnabled {
                control.isAudioDisabled = false
                control.audioTrack = track
                isSwitched = switchAudio(&control)
            }
            control.renderer?.isMuted = control.isAudioDisabled
            return control.renderer
        }
        guard renderer != nil, isSwitched else { return }
        applyAudioMix()
        seekBegan()
        evaluate()
    }

    /// Chooses the audio track by its identifier, nil for silence; if the item is not ready, for
    /// later.
    func chooseAudio(_ identifier: Int?) {
        let track = control.change { control -> AssetTrack? in
            switch control.phase {
            case .idle, .opening:
                control.isAudioDisabled = identifier == nil
                if let identifier { control.chosenAudioTrack = identifier }
                return nil
            case .ready(let description):
                let chosen = identifier ?? control.audioTrack?.id
                return description.tracks.first { $0.id == chosen }
            case .failed, .closed: return nil
            }
        }
        if let track { setAudioEnabled(identifier != nil, track: track) }
    }

    /// Switches to the track that was chosen while the item became ready, too late to begin with
    /// it.
    func applyAudioChoice() {
        let track = control.withLock { control -> AssetTrack? in
            guard !control.isAudioDisabled, control.chosenAudioTrack != control.audioTrack?.id
            else {
                return nil
            }
            return control.description?.tracks.first { $0.id == control.chosenAudioTrack }
        }
        if let track { setAudioEnabled(true, track: track) }
    }

    /// Continues with the chosen audio track at the playhead. With the lock held.
    private func switchAudio(_ control: inout Control) -> Bool {
        packets.play(control.playingTrackIDs)
        // At the end, and backwards, there is nothing to continue; the next seek uses the choice.
        if control.hasPlayedToEnd || control.direction == .reverse { return false }
        var seek = control.seek ?? Seek(target: timebase.time)
        if control.seek == nil { seek.followsTimeline = control.isRunning }
        restart(&control, for: seek)
        return true
    }
}
