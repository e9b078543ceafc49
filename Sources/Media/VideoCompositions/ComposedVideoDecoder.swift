// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// Draws the pictures of a video composition at the times of the packets.
///
/// - Concurrency: one thread at a time, as the protocol requires.
final class ComposedVideoDecoder: VideoDecoder, @unchecked Sendable {
    // Unchecked: used by one thread at a time.

    /// Has no effect: no picture depends on another.
    var skipsNonReferenceFrames = false
    private let source: VideoCompositionSource
    private let painter: VideoCompositionPainter
    private var picture: VideoFrame?

    init(_ source: VideoCompositionSource, engine: any VideoCompositionEngine) {
        self.source = source
        painter = VideoCompositionPainter(source.composition, engine: engine)
    }

    func send(_ packet: MediaPacket?) throws(MediaError) {
        guard let packet, let payload = packet.payload as? ComposedDemuxer.Payload else { return }
        do throws(VideoCompositionError) {
            let frame = try source.frame(at: payload.time, until: payload.end)
            picture = VideoFrame(
                pixelBuffer: try painter.picture(of: frame), presentationTime: payload.time,
                duration: frame.duration, isKeyframe: true)
        } catch {
            throw error.mediaError(subject: source.subject)
        }
    }

    func receive() throws(MediaError) -> VideoFrame? {
        defer { picture = nil }
        return picture
    }

    func flush() { picture = nil }
}
