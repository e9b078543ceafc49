// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadBuffers
import PlayheadTime
import Synchronization

/// An asset with one frame, which is drawn when it is first decoded.
///
/// - Concurrency: any thread.
package final class StillAsset: Asset, @unchecked Sendable {
    // Unchecked like its base class; `name` is constant.

    /// A function that draws an image of the given width and height, in pixels.
    package typealias Draw = @Sendable (Int, Int) -> PixelBuffer

    private let name: String

    /// The duration, which is longer than any clip that is cut from the asset.
    static let duration = MediaTime(value: 86400, timescale: 1)

    package init(name: String, width: Int, height: Int, draw: @escaping Draw) {
        self.name = name
        let picture = Picture(width: width, height: height, draw: draw)
        super.init(opener: Opener(picture: picture))
    }

    override package var displayName: String { name }

    /// A holder of the frame, which is drawn once.
    private final class Picture: Sendable {
        let width: Int
        let height: Int
        private let draw: Draw
        private let buffer = Mutex<PixelBuffer?>(nil)

        init(width: Int, height: Int, draw: @escaping Draw) {
            self.width = width
            self.height = height
            self.draw = draw
        }

        var pixelBuffer: PixelBuffer {
            buffer.withLock { buffer in
                if let buffer { return buffer }
                let drawn = draw(width, height)
                buffer = drawn
                return drawn
            }
        }
    }

    private struct Opener: AssetOpener {
        let picture: Picture

        func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
            StillDemuxer(picture: picture)
        }
    }

    private final class StillDemuxer: Demuxer, @unchecked Sendable {
        // Unchecked: used by one thread at a time, as the protocol requires.

        let description: AssetDescription
        private let picture: Picture
        private var hasEnded = false

        init(picture: Picture) {
            self.picture = picture
            let range = MediaTimeRange(start: .zero, duration: StillAsset.duration)
            description = AssetDescription(
                container: "still", duration: range.duration,
                tracks: [
                    AssetTrack(
                        id: 0, mediaType: .video,
                        formatDescription: FormatDescription(
                            codec: "still",
                            video: FormatDescription.Video(
                                width: picture.width, height: picture.height, pixelFormat: "rgba")),
                        isDefault: true, timeRange: range,
                        timeUnit: MediaTime(value: 1, timescale: 1), sampleCount: 1)
                ])
        }

        func selectTracks(_ identifiers: Set<Int>) { hasEnded = !identifiers.contains(0) }

        func readPacket() throws(MediaError) -> MediaPacket? {
            guard !hasEnded else { return nil }
            hasEnded = true
            return MediaPacket(
                trackID: 0, presentationTime: .zero, decodeTime: .zero,
                duration: StillAsset.duration, isKeyframe: true, byteCount: 1, payload: picture)
        }

        func seek(to time: MediaTime) throws(MediaError) { hasEnded = false }

        func keyframeIndex(of track: AssetTrack) -> KeyframeIndex {
            KeyframeIndex(times: [.zero], end: StillAsset.duration)
        }

        func makeVideoDecoder(
            for track: AssetTrack, pool: (any PixelBufferPool)?
        ) throws(MediaError) -> any VideoDecoder { StillDecoder() }

        func makeAudioDecoder(
            for track: AssetTrack, format: AudioFormat
        ) throws(MediaError) -> any AudioDecoder {
            throw MediaError(.unsupportedCodec, subject: "still", cause: "it has no audio")
        }
    }

    private final class StillDecoder: VideoDecoder, @unchecked Sendable {
        // Unchecked: used by one thread at a time, as the protocol requires.

        var skipsNonReferenceFrames = false
        private var frame: VideoFrame?

        func send(_ packet: MediaPacket?) throws(MediaError) {
            guard let packet, let picture = packet.payload as? Picture else { return }
            frame = VideoFrame(
                pixelBuffer: picture.pixelBuffer, presentationTime: packet.presentationTime,
                duration: packet.duration, isKeyframe: true)
        }

        func receive() throws(MediaError) -> VideoFrame? {
            defer { frame = nil }
            return frame
        }

        func flush() { frame = nil }
    }
}
