// SPDX-License-Identifier: Apache-2.0

/// The meaning of a frame's alpha.
package enum PictureAlpha: Int, Sendable, Hashable {
    case opaque, straight, premultiplied
}
