// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import Synchronization

/// The totals of an item's playback so far.
///
/// - Corresponds to: `AVPlayerItemAccessLogEvent`, as far as it counts frames.
public struct PlaybackStatistics: Sendable, Hashable {
    /// The number of frames that were decoded and queued for display.
    public var decodedFrames: Int
    /// The number of frames whose time passed before an output took them.
    public var droppedFrames: Int
    /// The number of packets and frames that could not be decoded.
    public var decodingErrors: Int
    /// The number of interruptions of the audio. Either the device requested samples that had not
    /// been decoded yet, or it underran because the machine was too busy to deliver them in time.
    public var audioUnderruns: Int
    /// The number of times that playback stopped because media had not arrived.
    public var stalls: Int
    /// The number of bytes of media that are held: packets, and decoded frames that wait for
    /// display or that a seek may return to. A frame that both waits for display and is kept for
    /// seeking counts twice. The memory of decoders is not included.
    package var heldBytes: Int
    /// The decoding method of the video; nil without video.
    package var videoDecodingMethod: VideoDecodingMethod?
}

extension PlayerItem {
    /// The number of frames that the decoder output, and the number of frames that were not taken
    /// in time. Reading them at every vsync costs little.
    package var frameCounts: (decoded: Int, dropped: Int) { pipeline.frames.counts }

    /// The totals of the item's video and audio so far. Any thread.
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
            + recentFrames.byteCount.load(ordering: .relaxed)
    }
}
