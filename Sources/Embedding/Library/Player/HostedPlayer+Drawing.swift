// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadPlayback
import PlayheadSubtitles
import PlayheadTime
import Synchronization

extension HostedPlayer {
    /// The state of the effects when the last frame was drawn.
    struct Drawn {
        var look: UInt64
        var isMoving: Bool
    }

    /// Records the state of the drawn frame for `looksDifferent`.
    func note(_ outcome: DrawOutcome, look: UInt64) {
        let hasPicture = outcome.flags & PLAYHEAD_RENDER_NO_FRAME == 0
        control.withLock {
            $0.drawn = hasPicture ? Drawn(look: look, isMoving: outcome.isMoving) : nil
            $0.isStale = false
        }
    }

    /// A Boolean value that indicates whether the effects would now draw the last frame
    /// differently.
    var looksDifferent: Bool {
        let (drawn, changes, effects) = control.withLock {
            ($0.drawn, $0.lookChanges, $0.instances)
        }
        guard let drawn else { return false }
        return drawn.isMoving || drawn.look != Self.look(of: effects, changes: changes)
    }

    /// Returns whether the subtitles have changed since they were last drawn into a framebuffer.
    func hasNewSubtitles(_ film: Film?, at time: MediaTime) -> Bool {
        guard let subtitles = film?.subtitles, !control.withLock({ $0.subtitleStyle.isHidden })
        else { return false }
        return subtitles.target.hasNewPixelBuffer(forItemTime: time)
            && subtitles.sampled.hasNewPixelBuffer(forItemTime: time)
    }

    /// Returns a number that changes whenever an effect is added, removed, enabled or set, and
    /// whenever the style of subtitles changes.
    private static func look(of effects: [EffectInstance], changes: UInt64) -> UInt64 {
        effects.reduce(changes << 32) { $0 &+ $1.generation }
    }

    /// Returns the source to draw. A player that becomes visible during a seek has no frame to
    /// draw, because its last frame is from before the seek.
    func source(
        _ output: KeyPath<HostedOutputs, any NotifyingPixelBufferSource>,
        _ overlay: KeyPath<HostedSubtitles, SubtitleOverlay>, hostTime: Int64
    ) -> DrawSource {
        let time = self.hostTime(hostTime)
        let hidden = control.withLock { control in
            control.isVisible && control.hasBeenHidden ? control.film : nil
        }
        let isLeft = hidden?.item.state.isSeeking ?? false
        let (mode, player) = control.withLock { ($0.device.clockMode, $0.device.player) }
        let isPlaying = mode == PLAYHEAD_CLOCK_OWN && player.rate != 0
        let (effects, changes) = control.withLock { ($0.instances, $0.lookChanges) }
        let look = Self.look(of: effects, changes: changes)
        return control.withLock { control in
            if control.isVisible, !isLeft { control.hasBeenHidden = false }
            let subtitles = control.subtitleStyle.isHidden ? nil : control.film?.subtitles
            let outputs = control.outputs
            return DrawSource(
                output: isLeft ? nil : outputs?[keyPath: output],
                sampledOutput: isLeft ? nil : outputs?.sampled,
                watch: outputs?.watch, subtitles: subtitles?[keyPath: overlay],
                sampledSubtitles: subtitles?.sampled, preview: outputs?.memory,
                playing: control.film?.memoryOutput, effects: control.instances,
                generation: control.generation, isVisible: control.isVisible, look: look,
                hostTime: time, isRunning: isPlaying || control.camera != nil)
        }
    }

    /// Draws, updates the statistics, and reports problems as events.
    func draw(
        _ body: (HostedSurface) throws -> DrawOutcome
    ) throws -> DrawOutcome {
        let start = HostClock.nanoseconds
        let outcome = try graphics.perform { surface in
            let outcome = try body(surface)
            guard !outcome.isContextLost else { throw GLError.contextLost }
            let duration = UInt64(max(0, HostClock.nanoseconds - start))
            graphics.statistics.withLock { statistics in
                if outcome.wasDrawn { statistics.rendered += 1 }
                if outcome.flags & PLAYHEAD_RENDER_NEW_FRAME != 0 { statistics.newFrames += 1 }
                if outcome.flags & PLAYHEAD_RENDER_LATE != 0 { statistics.late += 1 }
                statistics.renderNanoseconds += duration
                statistics.longestNanoseconds = max(statistics.longestNanoseconds, duration)
                statistics.uploadNanoseconds += UInt64(max(0, outcome.uploadNanoseconds))
                statistics.stateNanoseconds += UInt64(max(0, outcome.stateNanoseconds))
                surface.count(in: &statistics)
            }
            return outcome
        }
        guard !outcome.problems.isEmpty else { return outcome }
        let item = control.withLock { $0.film?.item }
        for problem in outcome.problems {
            HostLog.write(PLAYHEAD_LOG_WARNING, problem.description)
            let (status, text) = (Int(CallFailure(problem).status), problem.description)
            if let item {
                note(PLAYHEAD_EVENT_WARNING, of: item, status: status, text: text)
            } else {
                events.add(
                    EventQueue.Event(type: PLAYHEAD_EVENT_WARNING, status: status, text: text))
            }
        }
        return outcome
    }
}
