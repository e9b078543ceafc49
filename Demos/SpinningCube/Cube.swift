// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import Glibc
import PlayheadUI

/// The part that the game itself draws: a cube whose faces come from a texture, and its reflection
/// on the floor.
///
/// - Concurrency: render thread.
final class Cube {
    /// The orientation and distance of the cube.
    struct Pose: Sendable {
        /// The rotation angles about the vertical and the horizontal axis, in radians.
        var turn = 0.35
        var tilt = 0.42
        /// The distance between the eye and the cube, as a multiple of the cube's edge.
        var distance = 2.3
        /// A Boolean value that indicates whether the user holds the cube. A held cube does not
        /// rotate by itself.
        var isHeld = false
    }

    private let gl: OpenGL
    private let backdrop: UInt32
    private let cube: UInt32
    private let vertexArray: UInt32

    init(_ load: OpenGL.Load) throws {
        gl = try OpenGL(load)
        backdrop = try gl.program(
            vertices: Self.backdropVertices, pixels: Self.backdropPixels)
        cube = try gl.program(vertices: Self.cubeVertices, pixels: Self.cubePixels)
        var name: UInt32 = 0
        gl.genVertexArrays(1, &name)
        vertexArray = name
    }

    /// Draws a frame.
    ///
    /// - Parameter faces: a texture that contains the faces, three in a row, in two rows.
    func draw(faces: UInt32, pose: Pose, into target: RenderTarget) {
        gl.bindFramebuffer(OpenGL.framebuffer, target.framebuffer)
        gl.viewport(0, 0, Int32(target.width), Int32(target.height))
        gl.bindVertexArray(vertexArray)
        let shape = Float(target.width) / Float(target.height)

        gl.disable(OpenGL.blend)
        gl.useProgram(backdrop)
        gl.drawArrays(OpenGL.triangles, 0, 3)

        gl.enable(OpenGL.blend)
        gl.blendFunc(OpenGL.one, OpenGL.oneMinusSourceAlpha)
        gl.useProgram(cube)
        gl.activeTexture(OpenGL.texture0)
        gl.bindTexture(OpenGL.texture2D, faces)
        gl.texParameteri(OpenGL.texture2D, OpenGL.minFilter, OpenGL.linear)
        gl.uniformMatrix3fv(location("rotation"), 1, 0, Self.rotation(pose))
        gl.uniform2f(location("lens"), 1.6 / max(shape, 1), 1.6 * min(shape, 1))
        gl.uniform1f(location("eyeDistance"), Float(pose.distance))
        for mirror in [-1, 1] as [Float] {
            gl.uniform1f(location("mirror"), mirror)
            gl.drawArrays(OpenGL.triangles, 0, 36)
        }
        gl.bindVertexArray(0)
        gl.useProgram(0)
    }

    private func location(_ name: String) -> Int32 { gl.getUniformLocation(cube, name) }

    /// Returns a rotation about the y axis followed by one about the x axis, as a column-major
    /// matrix.
    private static func rotation(_ pose: Pose) -> [Float] {
        let (ct, st, cx, sx) = (cos(pose.turn), sin(pose.turn), cos(pose.tilt), sin(pose.tilt))
        return [ct, sx * st, -cx * st, 0, cx, sx, st, -sx * ct, cx * ct].map { Float($0) }
    }

    private static let backdropVertices = """
        out vec2 place;
        void main() {
            vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
            place = corner;
            gl_Position = vec4(corner, 0.0, 1.0);
        }
        """

    /// A shader for a room with a light behind the cube, and a floor that fades to black.
    private static let backdropPixels = """
        in vec2 place;
        out vec4 color;
        void main() {
            float glow = exp(-1.6 * dot(place * vec2(0.8, 1.1), place));
            vec3 wall = mix(vec3(0.030, 0.034, 0.045), vec3(0.13, 0.16, 0.23), glow);
            vec3 floor = mix(vec3(0.020, 0.022, 0.030), vec3(0.09, 0.11, 0.15), glow);
            color = vec4(mix(floor, wall, smoothstep(-0.62, -0.38, place.y)), 1.0);
        }
        """

    /// A shader for six faces of two triangles each. It computes them from the index of the vertex.
    private static let cubeVertices = """
        uniform mat3 rotation;
        uniform vec2 lens;
        uniform float eyeDistance, mirror;
        out vec2 place;
        flat out vec2 tile;
        out float light, depth;
        // The directions out of each face, and to its right; up is perpendicular to both.
        const vec3 outward[6] = vec3[](
            vec3(0, 0, 1), vec3(1, 0, 0), vec3(0, 0, -1),
            vec3(-1, 0, 0), vec3(0, 1, 0), vec3(0, -1, 0));
        const vec3 right[6] = vec3[](
            vec3(1, 0, 0), vec3(0, 0, -1), vec3(-1, 0, 0),
            vec3(0, 0, 1), vec3(1, 0, 0), vec3(1, 0, 0));
        const vec2 corners[6] = vec2[](
            vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));
        void main() {
            int face = gl_VertexID / 6;
            vec2 corner = corners[gl_VertexID % 6];
            vec3 up = cross(outward[face], right[face]);
            vec3 normal = rotation * outward[face];
            vec3 point = rotation
                * (0.5 * (outward[face] + corner.x * right[face] + corner.y * up));
            point.y += 0.16;
            depth = point.y + 0.66;
            if (mirror < 0.0) {
                // The floor is just below the lowest corner.
                point.y = -1.32 - point.y;
                normal.y = -normal.y;
            }
            vec3 seen = point - vec3(0.0, 0.0, eyeDistance);
            // A convex body needs no depth buffer: faces turned away are left out.
            if (dot(normal, seen) >= 0.0) {
                gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
                return;
            }
            gl_Position = vec4(seen.xy * lens, 0.0, -seen.z);
            place = corner * 0.5 + 0.5;
            tile = vec2(face % 3, face / 3);
            vec3 lamp = normalize(vec3(0.35, mirror < 0.0 ? -0.75 : 0.75, 0.9));
            light = 0.62 + 0.55 * max(dot(normal, lamp), 0.0);
        }
        """

    private static let cubePixels = """
        uniform sampler2D faces;
        uniform float mirror;
        in vec2 place;
        flat in vec2 tile;
        in float light, depth;
        out vec4 color;
        void main() {
            // The frame has a border, whose edges are smoothed over one pixel.
            vec2 border = min(place, 1.0 - place);
            float edge = min(border.x / fwidth(place.x), border.y / fwidth(place.y));
            float inner = min(border.x, border.y);
            // Faces are upright in the texture as in OpenGL: the first row at the bottom.
            vec2 spot = (clamp((place - 0.03) / 0.94, 0.002, 0.998)
                + vec2(tile.x, 1.0 - tile.y)) / vec2(3.0, 2.0);
            vec3 film = texture(faces, spot).rgb;
            float isFilm = smoothstep(0.03 - fwidth(inner), 0.03 + fwidth(inner), inner);
            vec3 body = mix(vec3(0.035, 0.038, 0.045), film, isFilm) * light;
            float alpha = clamp(edge, 0.0, 1.0);
            // The reflection fades downwards.
            if (mirror < 0.0) alpha *= 0.5 * clamp(1.0 - depth * 1.1, 0.0, 1.0);
            color = vec4(body * alpha, alpha);
        }
        """
}
