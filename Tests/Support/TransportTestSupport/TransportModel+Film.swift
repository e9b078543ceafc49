// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

extension TransportModel {
    /// A video whose frames have one length, with a regular keyframe interval.
    package struct Film {
        package var frameCount: Int
        package var frameDuration: MediaTime
        package var keyframeInterval: Int
        /// The ends of its audio tracks, the first of which plays first.
        package var audioEnds: [MediaTime] = []
        /// The numbers of frames of its video tracks beside the first one, which end with it at the
        /// latest; 0 for a track that cannot be decoded.
        package var furtherVideoCounts: [Int] = []
        /// The time by which a device takes audio before it is heard.
        package var latency = MediaTime.zero
        /// A Boolean value that indicates whether it arrives over a network, which may rest.
        package var isRemote = false

        package init(frameCount: Int, frameDuration: MediaTime, keyframeInterval: Int) {
            self.frameCount = frameCount
            self.frameDuration = frameDuration
            self.keyframeInterval = keyframeInterval
        }

        package var videoEnd: MediaTime { frameDuration * Int32(frameCount) }
        /// The end of its longest track.
        package var end: MediaTime { audioEnds.reduce(videoEnd, max) }
        package var hasAudio: Bool { !audioEnds.isEmpty }
        package var startDelay: MediaTime { hasAudio ? latency : .zero }

        package func time(of frame: Int) -> MediaTime { frameDuration * Int32(frame) }

        /// Returns the frame that is visible at a time.
        package func frame(at time: MediaTime) -> Int {
            var index = 0
            var last = frameCount - 1
            while index < last {
                let middle = (index + last + 1) / 2
                if self.time(of: middle) <= time + TransportModel.tolerance {
                    index = middle
                } else {
                    last = middle - 1
                }
            }
            return index
        }

        package func keyframe(for time: MediaTime) -> Int {
            let frame = time < .zero ? 0 : frame(at: time)
            // A demuxer has no tolerance.
            let begun = self.time(of: frame) > time && frame > 0 ? frame - 1 : frame
            return begun / keyframeInterval * keyframeInterval
        }
    }
}
