// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime
import Synchronization

/// The actual ends of a file's tracks, found by reading the whole file once.
///
/// - Concurrency: any thread. The first call blocks while the file is read; concurrent calls block
///   too.
final class DurationMeasurement: Sendable {
    private let known = Mutex<[Int: MediaTime]?>(nil)

    /// Returns the end of each video and audio track. The keys are the numbers of the tracks.
    ///
    /// - Parameter open: A function that returns a demuxer that has not read anything yet.
    func ends(
        open: () throws(MediaError) -> FFmpegDemuxer
    ) throws(MediaError) -> [Int: MediaTime] {
        try known.withLock { known throws(MediaError) in
            if let known { return known }
            let ends = try Self.measure(try open())
            known = ends
            return ends
        }
    }

    private static func measure(_ demuxer: FFmpegDemuxer) throws(MediaError) -> [Int: MediaTime] {
        let timed = demuxer.description.tracks.filter {
            ($0.mediaType == .video || $0.mediaType == .audio)
                && $0.characteristics.isDisjoint(with: [.attachedPicture, .timedThumbnails])
        }
        let tracks = Dictionary(uniqueKeysWithValues: timed.map { ($0.id, $0) })
        demuxer.selectTracks(Set(tracks.keys))
        var ends: [Int: MediaTime] = [:]
        while let packet = try demuxer.readPacket() {
            guard let track = tracks[packet.trackID], packet.presentationTime.isNumeric else {
                continue
            }
            var end = packet.presentationTime
            let duration = packet.duration.isNumeric ? packet.duration : track.frameDuration
            if duration.isNumeric { end += duration }
            end -= padding(of: packet, track)
            ends[packet.trackID] = max(ends[packet.trackID] ?? end, end)
        }
        return ends
    }

    /// Returns the duration of the padding at the end of an audio packet. Encoders pad their last
    /// frame, and the padding is not played.
    private static func padding(of packet: MediaPacket, _ track: AssetTrack) -> MediaTime {
        guard let audio = track.formatDescription.audio, audio.sampleRate > 0,
            let box = packet.payload as? PacketBox
        else { return .zero }
        // AV_PKT_DATA_SKIP_SAMPLES: the numbers of samples to skip at the start and at the end,
        // each in 32 bits, little endian.
        var size = 0
        guard
            let data = av_packet_get_side_data(box.pointer, AV_PKT_DATA_SKIP_SAMPLES, &size),
            size >= 8
        else { return .zero }
        let samples = UnsafeRawPointer(data).loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        return MediaTime(
            value: Int64(UInt32(littleEndian: samples)),
            timescale: Int32(clamping: audio.sampleRate))
    }
}
