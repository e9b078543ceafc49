// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

extension FFmpegDemuxer {
    /// Records a packet from a network in the log of the transfer.
    func noteTransfer(of packet: MediaPacket) {
        guard context.isRemote, description.tracks.indices.contains(packet.trackID) else { return }
        let duration = packet.duration.isNumeric ? packet.duration.nanoseconds ?? 0 : 0
        monitor.noteMedia(
            description.tracks[packet.trackID].mediaType, byteCount: packet.byteCount,
            duration: duration)
    }
}
