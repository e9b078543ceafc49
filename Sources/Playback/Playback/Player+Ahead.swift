// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// For those who move the clock themselves: tests, proofs, rendering that is not bound to real time.
extension Player {
    /// Whether as much is decoded, of this item and those that follow, and as many of their starts
    /// are declared, as the next tenth of a second needs. Moving a clock by hand only while it is so
    /// makes a run independent of the machine's speed.
    package var isAhead: Bool {
        guard let item = currentItem else { return true }
        guard item.pipeline.isAhead else { return false }
        let (waiting, action, rate) = shared.withLock {
            ($0.waiting, $0.actionAtItemEnd, $0.rate)
        }
        guard rate != 0, action == .advance else { return true }
        var last = item.pipeline
        for next in waiting where last.isOverSoon {
            guard next.pipeline.isAhead, next.pipeline.isSuccessor else { return false }
            last = next.pipeline
        }
        return true
    }
}

extension ItemPipeline {
    private static let lookAhead = MediaTime(value: 1, timescale: 10)

    /// Whether decoding waits for the playhead, or has come to the end.
    var isAhead: Bool {
        let (isSettled, hasVideo, renderer) = control.withLock { control in
            switch control.phase {
            case .closed, .failed: return (true, false, nil as AudioRenderer?)
            case .idle, .opening: return (false, false, nil)
            case .ready: break
            }
            let isMoving = control.isRunning == (control.desiredRate != 0)
            return (
                control.hasPlayedToEnd || (control.seek == nil && isMoving),
                control.videoTrack != nil, control.audioEnd == nil ? control.renderer : nil
            )
        }
        guard isSettled, !hasVideo || frames.isFullOrEnded else { return false }
        guard let renderer else { return true }
        return renderer.bufferedTimeRange.end > timebase.time + Self.lookAhead
    }

    fileprivate var isOverSoon: Bool {
        switch successionPlan {
        case .open: false
        case .over: true
        case .at(let succession): succession.time - succession.clock.time < Self.lookAhead
        }
    }
}
