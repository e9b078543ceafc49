// SPDX-License-Identifier: Apache-2.0

import CEGL
import Foundation
import Playhead

// 1. Create an OpenGL context. In a game it exists already.
let display = eglGetPlatformDisplay(EGLenum(EGL_PLATFORM_SURFACELESS_MESA), nil, nil)
let version: [EGLint] = [
    EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
    EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE,
]
eglInitialize(display, nil, nil)
eglBindAPI(EGLenum(EGL_OPENGL_API))
eglMakeCurrent(display, nil, nil, eglCreateContext(display, nil, nil, version))

// 2. Let Playhead draw in the context that is current.
let context = try GLHostContext()
let state = GLHostState(mode: .restoreAll, unitBase: 0)
state.enter()
let framebuffer = try GLFramebuffer(width: 1280, height: 720, context: context)
let renderer = VideoRenderer(context: context)
state.leave()

// 3. Play a file, and add an output that hands out its frames.
let item = PlayerItem(asset: URLAsset(CommandLine.arguments[1]))
let output = PlayerItemVideoOutput()
item.add(output)
let player = Player(playerItem: item)
player.play()

// 4. At every refresh, draw the frame that is due.
let scene = Scene(layers: [Layer(.video(output))])
var frames = 0
while frames < 60, !item.hasPlayedToEnd {
    if let error = item.error { throw error }
    state.enter()
    let report = renderer.render(
        scene, hostTime: HostClock.shared.time, into: RenderTarget(framebuffer),
        redraw: .ifChanged)
    state.leave()
    for problem in report.problems { print(problem) }
    if report.hasNewPicture {
        frames += 1
        print("frame at \(report.displayTime.seconds) s")
    }
    // Here you draw: framebuffer.texture.name is the OpenGL name of a texture with the frame.
    usleep(16_667)
}

// 5. Save the last frame, then release what belongs to the context while it is current.
state.enter()
try ImageFile.writePNG(framebuffer.image(), to: "frame.png")
state.leave()
