// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import Synchronization

/// What playing an item has come to so far.
///
/// - Corresponds to: `AVPlayerItemAccessLogEvent`, as far as it counts frames.
public struct PlaybackStatistics: Sendable, Hashable {
    /// Frames that came out of the decoder and were put in line to be shown.
    public var decodedFrames: Int
    /// Frames whose time passed without any output taking them.
    public var droppedFrames: Int
    /// Packets and frames that could not be decoded.
    public var decodingErrors: Int
    /// Times that the sound broke off: the device asked for samples that had not been decoded yet, or
    /// ran dry since the machine was too busy to hand them over in time.
    public var audioUnderruns: Int
    /// Times that playback has stopped because what it needs had not come.
    public var stalls: Int
    /// Bytes of media that are held: packets, and decoded pictures that wait to be shown or that a seek may
    /// go back to. Pictures that do both count twice. What decoders need for themselves is not known.
    package var heldBytes: Int
    /// What decodes the pictures; nil without any.
    package var videoDecodingMethod: VideoDecodingMethod?
}

extension PlayerItem {
    /// How many frames came out of the decoder, and how many of them nobody took in time. Cheap
    /// enough to ask for at every vsync.
    package var frameCounts: (decoded: Int, dropped: Int) { pipeline.frames.counts }

    /// What has become of the item's pictures and sound so far. Any thread.
    public var statistics: PlaybackStatistics {
        let counts = pipeline.frames.counts
        let (errors, stalls, renderer) = pipeline.control.withLock {
            ($0.decodeErrors, $0.buffering.stallCount, $0.renderer)
        }
        let sound = renderer?.statistics ?? AudioRendererStatistics()
        return PlaybackStatistics(
            decodedFrames: counts.decoded, droppedFrames: counts.dropped, decodingErrors: errors,
            audioUnderruns: sound.underruns + sound.deviceUnderruns, stalls: stalls,
            heldBytes: pipeline.heldByteCount, videoDecodingMethod: videoDecodingMethod)
    }
}

extension ItemPipeline {
    fileprivate var heldByteCount: Int {
        packets.depth.bytes + frames.byteCount + scrubbed.byteCount
            + recentByteCount.load(ordering: .relaxed)
    }
}
