// SPDX-License-Identifier: Apache-2.0

package import PlayheadGL

/// The position of a quad, and the part of a frame that it shows.
package struct QuadGeometry: Sendable, Hashable {
    /// The map from the unit square to OpenGL's clip space, -1 to 1, y up.
    package var position: GLMatrix3
    /// The map from the unit square to texture coordinates.
    package var texture: GLMatrix3

    package init(position: GLMatrix3, texture: GLMatrix3) {
        self.position = position
        self.texture = texture
    }

    /// All of a frame whose first row is the top one, on all of a target whose first row is the
    /// bottom one, as in OpenGL's own framebuffers.
    package static let uprightWhole = QuadGeometry(
        position: GLMatrix3(origin: [-1, 1], right: [1, 1], down: [-1, -1]), texture: .identity)

    /// All of a texture on all of a target, with rows as they are stored.
    package static let storedWhole = QuadGeometry(
        position: GLMatrix3(origin: [-1, -1], right: [1, -1], down: [-1, 1]), texture: .identity)
}
