// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI
import Synchronization

/// The work of a game in each frame: it draws the videos into a texture, and then draws its own
/// scene with that texture.
///
/// - Concurrency: `change` and `pose` on any thread; everything else on the render thread.
final class Game: @unchecked Sendable {
    // Unchecked: `parts` is used on the render thread only.

    private struct Parts {
        let films: VideoRenderer
        /// The target that the videos are drawn into. For OpenGL, it is a texture like any other.
        let texture: GLFramebuffer
        let cube: Cube
    }

    private let faces: Faces
    private let shared = Mutex(Cube.Pose())
    private var parts: Parts?

    init(_ faces: Faces) {
        self.faces = faces
    }

    func prepare(_ context: any GLContext, _ load: OpenGL.Load) throws {
        parts = Parts(
            films: VideoRenderer(context: context),
            texture: try GLFramebuffer(
                width: Faces.width, height: Faces.height, label: "faces", context: context),
            cube: try Cube(load))
    }

    func end() { parts = nil }

    var pose: Cube.Pose { shared.withLock { $0 } }
    func change(_ body: (inout Cube.Pose) -> Void) { shared.withLock { body(&$0) } }

    /// Draws the frame that is displayed at a host time.
    func draw(hostTime: MediaTime, into target: RenderTarget) {
        guard let parts else { return }
        // This does nothing if no video has a new frame.
        _ = parts.films.render(
            faces.scene, hostTime: hostTime, into: RenderTarget(parts.texture),
            redraw: .ifChanged)
        parts.cube.draw(faces: parts.texture.texture.name, pose: pose, into: target)
    }
}
