// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

let own = try HeadlessContext()  // stands for your OpenGL context, current on this thread
let (context, state) = (try GLHostContext(), GLHostState(mode: .restoreAll, unitBase: 0))
state.enter()
let framebuffer = try GLFramebuffer(width: 1280, height: 720, context: context)
let renderer = VideoRenderer(context: context)
state.leave()
let player = Player(url: URL(filePath: "Media/greenscreen.mp4"))
let output = PlayerItemVideoOutput()
player.currentItem?.add(output)
player.play()
let scene = Scene(layers: [Layer(.video(output))])
for _ in 0..<120 {  // your loop
    state.enter()
    _ = renderer.render(
        scene, hostTime: HostClock.shared.time, into: RenderTarget(framebuffer))
    state.leave()  // your OpenGL state is restored; no call waits for a frame
    usleep(16_667)
}
if let error = player.currentItem?.error { print(error) }  // such as a file that does not exist
state.enter()
try ImageFile.writePNG(framebuffer.image(), to: "frame.png")
state.leave()
withExtendedLifetime(own) {}
