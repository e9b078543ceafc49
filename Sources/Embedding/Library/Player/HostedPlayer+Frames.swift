// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadPlayback
import PlayheadTime
import Synchronization

extension HostedPlayer {
    /// Pictures that may be out at a time: as many as a decoder can do without.
    static let frameLimit = 8

    /// The picture of a host time; nil where there is none.
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
