// SPDX-License-Identifier: Apache-2.0

package import PlayheadGL

/// Where a quad is drawn, and which part of a picture it shows.
package struct QuadGeometry: Sendable, Hashable {
    /// Unit square to OpenGL's clip space, -1 to 1, y up.
    package var position: GLMatrix3
    /// Unit square to texture coordinates.
    package var texture: GLMatrix3

    package init(position: GLMatrix3, texture: GLMatrix3) {
        self.position = position
        self.texture = texture
    }

    /// All of a picture whose first row is the top one, over all of a target whose first row is the
    /// bottom one: what OpenGL's own framebuffers are.
    package static let uprightWhole = QuadGeometry(
        position: GLMatrix3(origin: [-1, 1], right: [1, 1], down: [-1, -1]), texture: .identity)

    /// All of a texture over all of a target, rows as they are stored.
    package static let storedWhole = QuadGeometry(
        position: GLMatrix3(origin: [-1, -1], right: [1, -1], down: [-1, 1]), texture: .identity)
}
