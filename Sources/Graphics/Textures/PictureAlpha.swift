// SPDX-License-Identifier: Apache-2.0

/// The meaning of the alpha channel of a frame or image.
package enum PictureAlpha: Int, Sendable, Hashable {
    case opaque, straight, premultiplied
}
