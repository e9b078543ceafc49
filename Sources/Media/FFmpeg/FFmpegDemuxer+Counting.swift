// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// Audio in containers that do not state the times of its packets.
extension FFmpegDemuxer {
    /// The duration at the beginning of a counted track in which the decoder receives times. It
    /// returns no audio for the first packet.
    private static let stated = MediaTime(value: 1, timescale: 20)

    /// The shortest gap in a counted track. RealMedia states the times of some packets.
    private static let shortestGap = MediaTime(value: 1, timescale: 2)

    /// Returns whether a track's packets are placed one after the other, because FFmpeg's times are
    /// wrong. For Vorbis in AVI, it computes times from the sizes of packets. For RealAudio 1.0, it
    /// repeats the time of the packet before if a file does not state one.
    func isCounted(_ track: Int) -> Bool {
        switch description.container {
        case "avi": codec(of: track) == AV_CODEC_ID_VORBIS
        case "rm": codec(of: track) == AV_CODEC_ID_RA_144
        default: false
        }
    }

    /// A Boolean value that indicates whether each seek begins at the start of the file, because
    /// positions after a seek would be wrong.
    var decodesFromStart: Bool {
        positionsAreGuessed == true || selection.contains(where: isCounted)
    }

    /// Returns the packet of a counted track with the time at which the previous packet ends.
    ///
    /// The decoder receives only the first times, and counts samples from there: the duration of a
    /// packet is rounded, and rounding errors would add up.
    func counted(_ packet: MediaPacket, in box: PacketBox) -> MediaPacket {
        guard isCounted(packet.trackID), let end = ends[packet.trackID], end.isNumeric else {
            return packet
        }
        let isGap = packet.presentationTime - end >= Self.shortestGap
        if isGap, description.container == "rm" { return packet }
        var packet = packet
        (packet.presentationTime, packet.decodeTime) = (end, end)
        let isFirst = trackStarts[packet.trackID].map { end - $0.time < Self.stated } ?? true
        let ticks =
            isFirst
            ? (end + description.timestampOffset).timestamp(in: timeBases[packet.trackID]) : nil
        box.pointer.pointee.pts = ticks ?? ph_AV_NOPTS_VALUE()
        box.pointer.pointee.dts = box.pointer.pointee.pts
        return packet
    }

    /// Throws an error if the packets of a track cannot be found. WAV stores bytes at a constant
    /// rate, and no boundaries of packets.
    func requirePackets(of track: AssetTrack) throws(MediaError) {
        guard ["wav", "w64"].contains(description.container),
            codec(of: track.id) == AV_CODEC_ID_VORBIS
        else { return }
        throw MediaError(
            .unsupportedCodec, subject: source.description,
            cause: "it does not store where the packets of its Vorbis audio begin",
            remedy: "use the original, or a copy in Ogg or Matroska that was made from it")
    }

    private func codec(of track: Int) -> AVCodecID? {
        context.stream(track)?.pointee.codecpar.pointee.codec_id
    }
}
