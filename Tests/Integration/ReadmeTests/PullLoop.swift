// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

// The README's pull loop, so that it compiles; a test holds both equal.

func pullLoop(url: URL, vsyncs: any VsyncSource, draw: @escaping @Sendable (PixelBuffer) -> Void) {
    // README begins
    let player = Player(url: url)
    let output = PlayerItemVideoOutput()
    player.currentItem?.add(output)
    player.play()

    let link = DisplayLink(source: vsyncs) { tick in  // on the render thread
        // What is due at the coming vsync? Nothing new: the last picture stays.
        let time = output.itemTime(forHostTime: tick.targetTimestamp)
        guard output.hasNewPixelBuffer(forItemTime: time),
            let (picture, _) = output.copyPixelBuffer(forItemTime: time)
        else { return }
        draw(picture)  // planes to textures, draw, swap
    }
    link.isPaused = false
    // README ends
}
