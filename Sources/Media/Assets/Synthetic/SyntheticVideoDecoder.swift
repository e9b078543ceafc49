// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// A decoder that paints the frames of a synthetic asset and follows the rules of real decoders. It
/// begins at a keyframe, and holds back frames to return them in presentation order.
final class SyntheticVideoDecoder: VideoDecoder, @unchecked Sendable {
    // Unchecked: used by one thread at a time, as the protocol demands.

    var skipsNonReferenceFrames = false
    private let media: SyntheticMedia
    private let pool: (any PixelBufferPool)?
    /// The decoded packets whose frames are held back, in presentation order.
    private var held: [MediaPacket] = []
    private var hasKeyframe = false
    private var hasEnded = false

    init(media: SyntheticMedia, pool: (any PixelBufferPool)?) {
        self.media = media
        self.pool = pool
    }

    func send(_ packet: MediaPacket?) throws(MediaError) {
        guard let packet, let payload = packet.payload as? SyntheticPayload else {
            hasEnded = true
            return
        }
        if packet.isKeyframe { hasKeyframe = true }
        // Like real decoders, this decoder silently skips packets that cannot be decoded yet.
        guard hasKeyframe else { return }
        if skipsNonReferenceFrames, payload.isDisposable { return }
        if let willDecode = media.faults.willDecodeFrame { try willDecode(payload.index) }
        if media.faults.undecodableFrames.contains(payload.index) {
            throw MediaError(
                .decodingFailed, subject: media.name,
                cause: "frame \(payload.index) cannot be decoded")
        }
        let place = held.firstIndex { index(of: $0) > payload.index } ?? held.endIndex
        held.insert(packet, at: place)
    }

    func receive() throws(MediaError) -> VideoFrame? {
        if let willReceive = media.faults.willReceiveFrame { try willReceive() }
        // If frames are reordered, a later packet may have to be presented before the first held
        // frame.
        let heldBack = media.bidirectionalFrames > 0 && !hasEnded ? 1 : 0
        guard held.count > heldBack else { return nil }
        let packet = held.removeFirst()
        return VideoFrame(
            pixelBuffer: media.pixelBuffer(ofFrame: index(of: packet), pool: pool),
            presentationTime: packet.presentationTime, duration: packet.duration,
            isKeyframe: packet.isKeyframe)
    }

    func flush() {
        held = []
        hasKeyframe = false
        hasEnded = false
    }

    private func index(of packet: MediaPacket) -> Int {
        (packet.payload as? SyntheticPayload)?.index ?? 0
    }
}
