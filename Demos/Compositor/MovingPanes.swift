// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import Glibc
import PlayheadEditing
import PlayheadUI

/// Four panes whose common corner moves, each with a video in its own colour.
///
/// - Concurrency: the thread that draws the composition.
final class MovingPanes: TextureCompositing {
    private let trackIDs: [Int]
    private var drawing: (gl: OpenGL, program: UInt32, vertexArray: UInt32)?

    init(trackIDs: [Int]) { self.trackIDs = trackIDs }

    func draw(_ request: TextureCompositionRequest) throws {
        let (gl, program, vertexArray) = try drawing ?? prepare(request)
        gl.bindFramebuffer(OpenGL.framebuffer, request.target.name)
        gl.viewport(0, 0, Int32(request.target.width), Int32(request.target.height))
        gl.disable(OpenGL.blend)
        gl.useProgram(program)
        for (index, id) in trackIDs.enumerated() {
            gl.activeTexture(OpenGL.texture0 + UInt32(index))
            // A track without a frame has no texture, and its pane is black.
            gl.bindTexture(OpenGL.texture2D, request.sourceTexture(byTrackID: id)?.name ?? 0)
            gl.bindSampler(UInt32(index), 0)
            gl.texParameteri(OpenGL.texture2D, OpenGL.minFilter, OpenGL.linear)
            gl.texParameteri(OpenGL.texture2D, OpenGL.wrapS, OpenGL.clampToEdge)
            gl.texParameteri(OpenGL.texture2D, OpenGL.wrapT, OpenGL.clampToEdge)
            gl.uniform1i(gl.getUniformLocation(program, "film\(index)"), Int32(index))
        }
        let angle = request.compositionTime.seconds * 0.7
        gl.uniform2f(
            gl.getUniformLocation(program, "corner"), Float(0.5 + 0.18 * cos(angle)),
            Float(0.5 + 0.18 * sin(angle)))
        gl.bindVertexArray(vertexArray)
        gl.drawArrays(OpenGL.triangles, 0, 3)
        gl.bindVertexArray(0)
    }

    private func prepare(
        _ request: TextureCompositionRequest
    ) throws -> (gl: OpenGL, program: UInt32, vertexArray: UInt32) {
        let gl = try OpenGL { request.context.procAddress($0) }
        var vertexArray: UInt32 = 0
        gl.genVertexArrays(1, &vertexArray)
        let made = (gl, try gl.program(vertices: Self.vertices, pixels: Self.pixels), vertexArray)
        drawing = made
        return made
    }

    private static let vertices = """
        out vec2 place;
        void main() {
            vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
            place = corner * 0.5 + 0.5;
            gl_Position = vec4(corner, 0.0, 1.0);
        }
        """

    /// The fragment shader. Each pane shows its whole video; t = 0 is the bottom.
    private static let pixels = """
        in vec2 place;
        out vec4 color;
        uniform sampler2D film0, film1, film2, film3;
        uniform vec2 corner;
        void main() {
            bool right = place.x > corner.x, low = place.y < corner.y;
            vec2 from = vec2(right ? corner.x : 0.0, low ? 0.0 : corner.y);
            vec2 to = vec2(right ? 1.0 : corner.x, low ? corner.y : 1.0);
            vec2 uv = (place - from) / (to - from);
            vec3 film = low
                ? (right ? texture(film3, uv).rgb : texture(film2, uv).rgb)
                : (right ? texture(film1, uv).rgb : texture(film0, uv).rgb);
            vec3 tint = low
                ? (right ? vec3(1.0, 0.78, 0.5) : vec3(0.6, 1.0, 0.7))
                : (right ? vec3(0.55, 0.8, 1.0) : vec3(1.0, 0.6, 0.75));
            vec2 away = abs(place - corner) * vec2(640.0, 360.0);
            float seam = smoothstep(1.0, 3.0, min(away.x, away.y));
            color = vec4(film * tint * seam, 1.0);
        }
        """
}
