// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// The exchange of frames by others for the same times.
extension FrameQueue {
    /// The frames in the queue, their generation, and the direction of playback.
    var contents: (frames: [VideoFrame], generation: Int, direction: PlaybackDirection) {
        monitor.withLock { ($0.entries.map(\.frame), $0.generation, $0.direction) }
    }

    /// Replaces a frame by others, of the same time or with other times during it.
    func replace(_ old: VideoFrame, with frames: [VideoFrame], generation: Int) {
        /// Several frames may have the same pixel buffer.
        func isOld(_ frame: VideoFrame) -> Bool {
            frame.pixelBuffer.identifier == old.pixelBuffer.identifier
                && frame.presentationTime == old.presentationTime
        }
        monitor.change { state in
            guard !state.isClosed, state.generation == generation,
                let index = state.entries.firstIndex(where: { isOld($0.frame) })
            else { return }
            let group = state.entries[index].group
            state.entries.removeAll { entry in
                let isReplaced =
                    isOld(entry.frame)
                    || frames.contains { $0.presentationTime == entry.frame.presentationTime }
                if isReplaced { state.byteCount -= entry.frame.pixelBuffer.byteCount }
                return isReplaced
            }
            for frame in frames {
                let place =
                    state.entries.lastIndex {
                        $0.frame.presentationTime <= frame.presentationTime
                    }.map { $0 + 1 } ?? 0
                state.entries.insert(Entry(frame: frame, group: group), at: place)
                state.byteCount += frame.pixelBuffer.byteCount
            }
        }
    }
}
