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
        let film = control.withLock { control in
            control.film.map { (output: $0.memoryOutput, watch: $0.watch) }
        }
        guard let (output, watch) = film else { return nil }
        defer { watch.look(at: .memory) }
        let time = output.itemTime(forHostTime: self.hostTime(hostTime))
        return output.copyPixelBuffer(forItemTime: time)
    }
}
