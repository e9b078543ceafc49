// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime

@testable import PlayheadPlayback

extension CaptureAudioSink {
    /// Advances the clock in steps that an item's decoder keeps up with.
    ///
    /// - Parameter delay: the delay until audio is played.
    func advance(
        milliseconds: Int64, on clock: ManualClock, playing item: PlayerItem,
        delayedBy delay: MediaTime = .zero
    ) {
        for _ in 0..<(milliseconds / 10) {
            let time = item.currentTime - delay + MediaTime(value: 1, timescale: 5)
            // Arriving audio changes nothing there, so there is no notification: hence the polling.
            while item.pipeline.control.wait(
                nanoseconds: 2_000_000,
                until: { control -> Bool? in
                    guard let renderer = control.renderer else { return true }
                    let ahead = MediaTime(value: 1, timescale: 5)
                    guard item.pipeline.hasFurtherAudio(ahead: ahead, control) else { return nil }
                    guard control.audioEnd == nil else { return true }
                    if control.direction == .reverse {
                        let isFlushed = control.audioGeneration == control.generation
                        if control.isSilentInReverse { return isFlushed ? true : nil }
                        let lead = item.pipeline.soundLead(ahead, control)
                        return isFlushed && renderer.hasAudio(ahead: lead, at: item.currentTime)
                            ? true : nil
                    }
                    return renderer.bufferedTimeRange.end > time ? true : nil
                }) == nil
            {}
            advance(to: clock.time + MediaTime(value: 10, timescale: 1000))
        }
    }
}
