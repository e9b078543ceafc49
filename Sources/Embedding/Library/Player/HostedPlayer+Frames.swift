// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadPlayback
import PlayheadTime
import Synchronization

extension HostedPlayer {
    /// The maximum number of frames that a host can hold. With more, the decoder would have no
    /// buffers left.
    static let frameLimit = 8

    /// Returns the frame for a host time, or nil if no frame is available.
    func picture(at hostTime: Int64) -> (PixelBuffer, displayTime: MediaTime)? {
        guard let outputs = control.withLock({ $0.outputs }) else { return nil }
        defer { outputs.watch.look(at: .memory) }
        let time = outputs.memory.itemTime(forHostTime: self.hostTime(hostTime))
        return outputs.memory.copyPixelBuffer(forItemTime: time)
    }
}
