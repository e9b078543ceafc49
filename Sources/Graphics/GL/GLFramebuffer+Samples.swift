// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

extension GLFramebuffer {
    /// Reads all pixels, the lowest row first. Each pixel is four 16-bit integers; 65,535 stands
    /// for 1. Waits until all drawing is done.
    ///
    /// - Parameter array: An array whose memory is reused for the result.
    package func samples(reusing array: consuming [UInt16]) -> [UInt16] {
        let count = width * height * 4
        if array.count != count { array = [UInt16](repeating: 0, count: count) }
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), name)
        array.withUnsafeMutableBytes { bytes in
            GLDriverLock.withLock {
                ph_glReadPixels(
                    0, 0, Int32(width), Int32(height), UInt32(GL_RGBA), UInt32(GL_UNSIGNED_SHORT),
                    bytes.baseAddress)
            }
        }
        return array
    }
}
