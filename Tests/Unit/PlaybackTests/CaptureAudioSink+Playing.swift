// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime

@testable import PlayheadPlayback

extension CaptureAudioSink {
    /// Moves the clock on in steps that an item's decoder keeps up with.
    ///
    /// - Parameter delay: by how much later sound is heard.
    func advance(
        milliseconds: Int64, on clock: ManualClock, playing item: PlayerItem,
        delayedBy delay: MediaTime = .zero
    ) {
        for _ in 0..<(milliseconds / 10) {
            let time = item.currentTime - delay + MediaTime(value: 1, timescale: 5)
            // Sound that comes changes nothing there, so nothing tells of it: hence looks.
            while item.pipeline.control.wait(
                nanoseconds: 2_000_000,
                until: { control -> Bool? in
                    guard let renderer = control.renderer, control.audioEnd == nil else {
                        return true
                    }
                    return renderer.bufferedTimeRange.end > time ? true : nil
                }) == nil
            {}
            advance(to: clock.time + MediaTime(value: 10, timescale: 1000))
        }
    }
}
