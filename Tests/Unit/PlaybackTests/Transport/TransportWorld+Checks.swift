// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import TransportTestSupport

@testable import PlayheadPlayback

/// Faults that are detected without a model.
extension TransportWorld {
    /// Checks the invariants.
    mutating func check() {
        let state = transport
        if state.start.isRunning != (rate != 0) { report("runs at \(rate)") }
        if state.seek.generation != frameGeneration { report("frames of another seek") }
        if state.seek.generation != packetGeneration { report("packets of another seek") }
        if let seek = state.seek.requested, !seek.followsTimeline, state.start.isRunning {
            report("runs during a seek")
        }
        if state.start.isRunning, state.start.desiredRate == 0 { report("runs unasked") }
        if (state.seek.direction == .reverse) != isReverse { report("direction") }
    }

    /// Checks that a timeline that is not declared starts with audio of its generation.
    mutating func checkAudioAtStart() {
        guard film.hasAudio, !transport.start.isDeclared else { return }
        if transport.tracks.audioEnd == nil, audioGeneration != packetGeneration {
            report("starts with audio of another seek")
        }
        if !transport.ending.hasPlayedToEnd, transport.tracks.audio?.id != 2 + audioTrack {
            report("starts with audio of another track")
        }
    }

    /// Checks that a timeline that is not declared starts with frames of all video tracks.
    mutating func checkPicturesAtStart() {
        guard !transport.start.isDeclared, transport.ending.succession == nil else { return }
        if !areFurtherPicturesPrimed(at: anchorTime, generation: transport.seek.generation) {
            report("starts without frames of a track")
        }
    }

    /// Checks that a seek has landed with frames of all video tracks, if it has.
    mutating func checkLanding(of generation: Int?) {
        let seek = transport.seek
        guard let generation, generation == seek.generation, seek.requested == nil,
            transport.tracks.isAlive
        else { return }
        if !haveFurtherPictures(generation: generation) {
            report("lands without a frame of a track")
        }
    }

    /// The state, for a report.
    var summary: String {
        """
        generations \(transport.seek.generation), packets \(packetGeneration), decoder \
        \(decoderGeneration), at \(position), frames \(entries), ended \(hasEnded)
        \(transport.seek)
        \(transport.steps)
        \(transport.start)
        \(transport.ending)
        """
    }
}
