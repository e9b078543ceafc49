// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A synthetic asset without compression, as a Matroska stream for a pipe: a form in which frames
/// with any times and several audio tracks reach an encoder together.
///
/// Times are in nanoseconds. Element identifiers are those of RFC 8794 (EBML) and RFC 9559
/// (Matroska).
struct RawMediaStream: Sendable {
    private let media: SyntheticMedia

    init(_ media: SyntheticMedia) { self.media = media }

    /// Writes the stream. Ends early if `write` returns false because the reader is gone.
    func send(_ write: (UnsafeRawBufferPointer) -> Bool) {
        guard header.withUnsafeBytes(write) else { return }
        let demuxer = SyntheticAsset(media).openForEncoding()
        // Audio tracks follow the video track, if there is one.
        let tracks = demuxer.description.tracks
        let decoders = zip(tracks.suffix(media.sounds.count), media.sounds).map { track, sound in
            (track.id, try? demuxer.makeAudioDecoder(for: track, format: sound.format))
        }
        while let packet = try? demuxer.readPacket() {
            var payload: [UInt8]
            if let decoder = decoders.first(where: { $0.0 == packet.trackID })?.1 {
                try? decoder.send(packet)
                payload = []
                (try? decoder.receive())?.withSamples { payload += UnsafeRawBufferPointer($0) }
            } else {
                payload = picture(at: packet.presentationTime)
            }
            let time = UInt64(clamping: packet.presentationTime.nanoseconds ?? 0)
            // Track number, no offset to the cluster's time, and the flag of a keyframe.
            let block = [0x80 | UInt8(packet.trackID + 1), 0, 0, 0x80] + payload
            let cluster = element(0x1F43_B675, element(0xE7, number(time)) + element(0xA3, block))
            guard cluster.withUnsafeBytes(write) else { return }
        }
    }

    /// The planes of the frame at a time, rows without padding.
    private func picture(at time: MediaTime) -> [UInt8] {
        guard let times = media.frameTimes, let index = times.index(at: time) else { return [] }
        let picture = media.picture(ofFrame: index).pixelBuffer(format: .yuv420p)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(picture.byteCount)
        for plane in picture.planes {
            for row in 0..<plane.height {
                bytes += UnsafeRawBufferPointer(
                    start: plane.baseAddress + row * plane.bytesPerRow, count: plane.width)
            }
        }
        return bytes
    }

    private var header: [UInt8] {
        let ebml = element(
            0x1A45_DFA3,
            element(0x4282, Array("matroska".utf8)) + element(0x4287, number(4))
                + element(0x4285, number(2)))
        // A segment of unknown size, which contains everything that follows.
        let segment: [UInt8] = [0x18, 0x53, 0x80, 0x67, 0x01] + [UInt8](repeating: 0xFF, count: 7)
        let information = element(
            0x1549_A966,
            element(0x2A_D7B1, number(1)) + element(0x4D80, Array("Playhead".utf8))
                + element(0x5741, Array("Playhead".utf8)))
        var tracks: [UInt8] = []
        var count: UInt64 = 0
        if media.frameTimes != nil {
            count += 1
            let video =
                element(0xB0, number(UInt64(media.width)))
                + element(0xBA, number(UInt64(media.height)))
                + element(0x2E_B524, Array("I420".utf8))
            tracks += track(count, type: 1, codec: "V_UNCOMPRESSED", element(0xE0, video))
        }
        for sound in media.sounds {
            count += 1
            let rate = Double(sound.format.sampleRate).bitPattern
            let audio =
                element(0xB5, number(rate))
                + element(0x9F, number(UInt64(sound.format.channelCount)))
                + element(0x6264, number(32))
            tracks += track(count, type: 2, codec: "A_PCM/FLOAT/IEEE", element(0xE1, audio))
        }
        return ebml + segment + information + element(0x1654_AE6B, tracks)
    }

    private func track(
        _ index: UInt64, type: UInt64, codec: String, _ settings: [UInt8]
    ) -> [UInt8] {
        element(
            0xAE,
            element(0xD7, number(index)) + element(0x73C5, number(index))
                + element(0x83, number(type)) + element(0x86, Array(codec.utf8)) + settings)
    }

    /// An element: identifier, size in eight bytes, contents.
    private func element(_ identifier: UInt32, _ contents: [UInt8]) -> [UInt8] {
        let name = (0..<4).reversed().map { UInt8(truncatingIfNeeded: identifier >> ($0 * 8)) }
        let size = number(UInt64(contents.count) | 1 << 56)
        return name.drop { $0 == 0 } + size + contents
    }

    /// An unsigned number in eight bytes, high byte first.
    private func number(_ value: UInt64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}

extension SyntheticAsset {
    /// Returns a demuxer of the plain media: all frames, each a keyframe, in order.
    fileprivate func openForEncoding() -> any Demuxer {
        var plain = media
        plain.keyframeInterval = 1
        plain.bidirectionalFrames = 0
        plain.faults = SyntheticFaults()
        // Without faults and cancellation, opening cannot fail.
        let demuxer = try? SyntheticAsset(plain).openDemuxer(cancellation: Cancellation())
        guard let demuxer else { preconditionFailure("a synthetic asset opens") }
        return demuxer
    }
}
