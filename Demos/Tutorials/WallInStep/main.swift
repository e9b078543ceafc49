// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

// 1. Create nine players. Without audio, they run on the host clock.
let files = CommandLine.arguments.dropFirst().map { URLAsset($0) }
let items = (0..<9).map { PlayerItem(asset: files[$0 % files.count]) }
let players = items.map { Player(playerItem: $0, audioSink: nil) }
let outputs = items.map { item in
    let output = PlayerItemVideoOutput()
    item.add(output)
    return output
}

// 2. Prepare them all: each decodes what its start needs.
for player in players {
    try await player.currentItem?.waitUntilReady()
    _ = await player.preroll(atRate: 1)
}

// 3. Start them with one pair of times: item time zero is at this host time for all.
let start = HostClock.shared.time + MediaTime(value: 1, timescale: 5)
for player in players { player.setRate(1, time: .zero, atHostTime: start) }

// 4. Give each a ninth of the image.
let side = 1.0 / 3
let layers = outputs.enumerated().map { index, output in
    let place = LayerRect(
        x: Double(index % 3) * side, y: Double(index / 3) * side, width: side, height: side)
    return Layer(.video(output), frame: .fraction(place), gravity: .resizeAspectFill)
}

// 5. Draw the wall for two seconds, and compare the timelines at each refresh until a video ends.
let context = try HeadlessContext()
let renderer = VideoRenderer(context: context)
let framebuffer = try GLFramebuffer(width: 960, height: 540, context: context)
let end = start + MediaTime(value: 2, timescale: 1)
let firstEnd = start + (items.map(\.duration).min() ?? .zero)
var difference = MediaTime.zero
while HostClock.shared.time < end {
    for item in items { if let error = item.error { throw error } }
    let now = HostClock.shared.time
    let report = renderer.render(
        Scene(layers: layers), hostTime: now, into: RenderTarget(framebuffer))
    for problem in report.problems { print(problem) }
    let times = outputs.map { $0.itemTime(forHostTime: now) }
    if HostClock.shared.time < firstEnd, let first = times.min(), let last = times.max() {
        difference = max(difference, last - first)
    }
    usleep(16_667)
}
print("largest difference between two timelines: \(difference.seconds) s")
try ImageFile.writePNG(framebuffer.image(), to: "wall.png")
