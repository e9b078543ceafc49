// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// A demuxer of VobSub pairs. It reads the subtitles that the index lists, on demand, from the
/// bitmap file.
///
/// - Concurrency: one thread at a time, as `Demuxer` requires.
final class VobSubDemuxer: SubtitleDemuxer, @unchecked Sendable {
    // Unchecked: only one thread at a time, as the protocol requires, accesses mutable state.

    let description: AssetDescription
    let limits: MediaLimits
    private let index: VobSubIndex
    private let subject: String
    private let cancellation: Cancellation
    private var pictures: VobSubPictures
    private var selection: Set<Int>
    /// The index of the next entry of each track.
    private var next: [Int]

    /// The time base of times in an index.
    private static let timeBase = AVRational(num: 1, den: 1000)

    /// Creates a demuxer.
    ///
    /// - Parameter only: The index in `VobSubIndex.tracks` of the only track to read; nil for all
    ///   tracks.
    init(
        _ index: VobSubIndex, pictures: any MediaDataSource, subject: String, only: Int? = nil,
        limits: MediaLimits, cancellation: Cancellation
    ) throws(MediaError) {
        self.index = index
        self.subject = subject
        self.limits = limits
        self.cancellation = cancellation
        self.pictures = VobSubPictures(pictures, cancellation: cancellation)
        let tracks = index.tracks.indices.filter { only == nil || $0 == only }
            .map { Self.track($0, of: index) }
        guard !tracks.isEmpty else {
            throw MediaError(
                .noPlayableTracks, subject: subject, cause: "the index lists no subtitles",
                remedy: "extract them from the disc again")
        }
        description = AssetDescription(
            container: "vobsub", duration: .indefinite, providesPreciseDurationAndTiming: false,
            tracks: tracks)
        selection = Set(tracks.map(\.id))
        next = index.tracks.map { _ in 0 }
    }

    private static func track(_ place: Int, of index: VobSubIndex) -> AssetTrack {
        let track = index.tracks[place]
        return AssetTrack(
            id: place, mediaType: .subtitle,
            formatDescription: FormatDescription(
                codec: "dvd_subtitle", codecName: "DVD subtitles"),
            languageTag: track.language, title: track.title, isDefault: place == 0,
            timeRange: MediaTimeRange(
                start: MediaTime(track.entries.first?.milliseconds ?? 0, timeBase: timeBase),
                duration: .indefinite),
            timeUnit: MediaTime(1, timeBase: timeBase), sampleCount: track.entries.count)
    }

    func selectTracks(_ identifiers: Set<Int>) { selection = identifiers }

    func readPacket() throws(MediaError) -> MediaPacket? {
        while let place = earliestTrack {
            if cancellation.isCancelled {
                throw MediaError(.cancelled, subject: subject, cause: "reading was cancelled")
            }
            let track = index.tracks[place]
            let entry = track.entries[next[place]]
            next[place] += 1
            // An entry is skipped if the bitmap file does not contain it.
            guard let unit = try pictures.unit(at: entry.position, of: track.number) else {
                continue
            }
            return try packet(unit, entry, place)
        }
        return nil
    }

    /// The selected track whose next subtitle is the earliest; nil at the end of all tracks.
    private var earliestTrack: Int? {
        selection.filter { next[$0] < index.tracks[$0].entries.count }
            .min { time(ofNextIn: $0) < time(ofNextIn: $1) }
    }

    private func time(ofNextIn place: Int) -> Int64 {
        index.tracks[place].entries[next[place]].milliseconds
    }

    private func packet(
        _ unit: [UInt8], _ entry: VobSubIndex.Entry, _ place: Int
    ) throws(MediaError) -> MediaPacket {
        guard let box = PacketBox(), av_new_packet(box.pointer, Int32(unit.count)) >= 0,
            let data = box.pointer.pointee.data
        else {
            throw MediaError(
                .outOfResources, subject: subject, cause: "there is not enough memory to read it")
        }
        data.update(from: unit, count: unit.count)
        box.pointer.pointee.pts = entry.milliseconds
        box.pointer.pointee.dts = entry.milliseconds
        let time = MediaTime(entry.milliseconds, timeBase: Self.timeBase)
        return MediaPacket(
            trackID: place, presentationTime: time, decodeTime: time, duration: .invalid,
            isKeyframe: true, byteCount: unit.count, payload: box)
    }

    func seek(to time: MediaTime) throws(MediaError) {
        for place in index.tracks.indices {
            let entries = index.tracks[place].entries
            let after =
                entries.firstIndex {
                    MediaTime($0.milliseconds, timeBase: Self.timeBase) > time
                } ?? entries.count
            next[place] = max(0, after - 1)
        }
    }

    func makeSubtitleDecoder(for track: AssetTrack) throws(MediaError) -> any SubtitleDecoder {
        precondition(track.mediaType == .subtitle, "track \(track.id) is \(track.mediaType)")
        let header = Array(index.header.utf8)
        guard
            let codec = CodecParameters(
                subtitles: AV_CODEC_ID_DVD_SUBTITLE, header: header, size: index.size)
        else {
            throw MediaError(
                .outOfResources, subject: subject, cause: "there is not enough memory to decode it")
        }
        return try FFmpegSubtitleDecoder(
            StreamParameters(uncontained: track, codec, timeBase: Self.timeBase, subject: subject),
            fonts: [], canvas: index.size, limits: limits)
    }
}
