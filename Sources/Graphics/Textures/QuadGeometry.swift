// SPDX-License-Identifier: Apache-2.0

package import PlayheadGL

/// The position of a quad, and the part of a frame that it shows.
package struct QuadGeometry: Sendable, Hashable {
    /// The map from the unit square to OpenGL's clip space, which ranges from -1 to 1 with y
    /// upwards.
    package var position: GLMatrix3
    /// The map from the unit square to texture coordinates.
    package var texture: GLMatrix3

    package init(position: GLMatrix3, texture: GLMatrix3) {
        self.position = position
        self.texture = texture
    }

    /// The geometry that draws a whole frame, whose first row is the top row, to a whole target,
    /// whose first row is the bottom row, as in OpenGL's own framebuffers.
    package static let uprightWhole = QuadGeometry(
        position: GLMatrix3(origin: [-1, 1], right: [1, 1], down: [-1, -1]), texture: .identity)

    /// The geometry that draws a whole texture to a whole target, with the rows in the order in
    /// which they are stored.
    package static let storedWhole = QuadGeometry(
        position: GLMatrix3(origin: [-1, -1], right: [1, -1], down: [-1, 1]), texture: .identity)
}
