// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Video tracks in addition to the first one.
@Suite struct FurtherVideoTests {
    private static func media(_ count: Int) -> SyntheticMedia {
        var media = SyntheticMedia.silent(keyframeInterval: 12)
        (media.width, media.height) = (32, 16)
        let frameTimes = SyntheticFrameTimes(
            framesPerSecond: 25, duration: MediaTime(value: 2, timescale: 1))
        media.furtherVideos = (1...count).map {
            SyntheticVideo(frameTimes: frameTimes, keyframeInterval: 7, firstNumber: 1000 * $0)
        }
        return media
    }

    @Test func `adding an output enables its own track, and no other`() {
        let rig = Rig(Self.media(2), isPlaying: false)
        let outputs = (1...2).map { PlayerItemVideoOutput(trackID: $0) }
        rig.item.add(outputs[0])
        #expect(rig.item.tracks.map(\.isEnabled) == [true, true, false])
        rig.item.tracks[1].isEnabled = false
        rig.item.add(outputs[1])
        #expect(rig.item.tracks.map(\.isEnabled) == [true, false, true])
    }
}
