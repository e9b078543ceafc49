// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

extension GLFramebuffer {
    /// Reads all pixels as four integers of 16 bits each, from 0 to 65,535 for 0 to 1, the lowest
    /// row first. Waits until all drawing is done.
    ///
    /// - Parameter array: An array whose memory is used again.
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
