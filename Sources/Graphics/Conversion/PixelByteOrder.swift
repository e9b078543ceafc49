// SPDX-License-Identifier: Apache-2.0

/// The order of the bytes of a converted pixel in memory. The fourth byte is alpha, which is always
/// 255.
package enum PixelByteOrder: Sendable, Hashable {
    case rgba, bgra
}
