// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A demuxer whose packets of mixed tracks are ranges of time. It reads the packets of other tracks
/// from the asset.
///
/// - Concurrency: one thread at a time, as the protocol requires.
final class MixedAudioDemuxer: Demuxer, @unchecked Sendable {
    // Unchecked: used by one thread at a time; the rest is constant.

    /// The range of time of a packet, which is its payload.
    final class Payload: Sendable {
        let range: MediaTimeRange

        init(_ range: MediaTimeRange) { self.range = range }
    }

    let description: AssetDescription
    private let asset: Asset
    private let base: any Demuxer
    private let tracks: [Int: MixedAudioTrack]
    private let cancellation: Cancellation
    /// The end of each mix.
    private let ends: [Int: MediaTime]
    /// The number of the next packet of each selected mix.
    private var positions: [Int: Int64] = [:]
    private var hasOthers = true
    private var readsOthers = true
    /// A packet of another track that is due after the next packet of a mix.
    private var pending: MediaPacket?

    /// The duration of a packet: a whole number of samples at all usual rates.
    private static let packetRate: Int32 = 25

    init(
        _ asset: Asset, tracks: [MixedAudioTrack], cancellation: Cancellation
    ) throws(MediaError) {
        self.asset = asset
        self.cancellation = cancellation
        base = try asset.openDemuxer(cancellation: cancellation)
        var description = base.description
        var (mixes, ends): ([Int: MixedAudioTrack], [Int: MediaTime]) = ([:], [:])
        for mix in tracks {
            let parts = description.tracks.filter {
                mix.trackIDs.contains($0.id) && $0.mediaType == .audio
            }
            guard let first = parts.first else { continue }
            let end = parts.map(\.timeRange.end).filter(\.isNumeric).max() ?? description.end
            ends[first.id] = end
            mixes[first.id] = MixedAudioTrack(trackIDs: parts.map(\.id), mix: mix.mix)
            let mixed = Self.track(parts, end: end)
            description.tracks = description.tracks.compactMap { track in
                if track.id == first.id { return mixed }
                return mix.trackIDs.contains(track.id) ? nil : track
            }
        }
        self.tracks = mixes
        self.ends = ends
        self.description = description
        selectTracks(Set(description.tracks.map(\.id)))
    }

    /// Returns the description of a mix, with the most channels and the highest rate of its parts.
    private static func track(_ parts: [AssetTrack], end: MediaTime) -> AssetTrack {
        let formats = parts.compactMap(\.formatDescription.audio)
        var track = parts[0]
        track.formatDescription =
            parts.map(\.formatDescription).max {
                ($0.audio?.channelCount ?? 0) < ($1.audio?.channelCount ?? 0)
            } ?? track.formatDescription
        track.formatDescription.audio?.sampleRate = formats.map(\.sampleRate).max() ?? 48_000
        track.timeRange = MediaTimeRange(start: .zero, end: end)
        track.segments = []
        return track
    }

    func selectTracks(_ identifiers: Set<Int>) {
        for id in tracks.keys {
            if !identifiers.contains(id) {
                positions[id] = nil
            } else if positions[id] == nil {
                let time = pending?.presentationTime ?? .zero
                positions[id] = Self.position(at: time.isNumeric ? time : .zero)
            }
        }
        let others = identifiers.subtracting(tracks.keys)
        hasOthers = !others.isEmpty
        readsOthers = hasOthers
        pending = nil
        base.selectTracks(others)
    }

    /// Returns the number of the packet that contains a time.
    private static func position(at time: MediaTime) -> Int64 {
        max(0, time.converted(toTimescale: packetRate, method: .roundTowardNegativeInfinity).value)
    }

    private static func time(of position: Int64) -> MediaTime {
        MediaTime(value: position, timescale: packetRate)
    }

    func readPacket() throws(MediaError) -> MediaPacket? {
        if pending == nil, readsOthers {
            pending = try base.readPacket()
            if pending == nil { readsOthers = false }
        }
        let next = positions.filter { Self.time(of: $0.value) < ends[$0.key] ?? .zero }
            .min { ($0.value, $0.key) < ($1.value, $1.key) }
        guard let (id, position) = next else {
            defer { pending = nil }
            return pending
        }
        let time = Self.time(of: position)
        if let packet = pending {
            let due = packet.decodeTime.isNumeric ? packet.decodeTime : packet.presentationTime
            if !due.isNumeric || due < time {
                pending = nil
                return packet
            }
        }
        positions[id] = position + 1
        let range = MediaTimeRange(
            start: time, end: min(Self.time(of: position + 1), ends[id] ?? .zero))
        return MediaPacket(
            trackID: id, presentationTime: time, decodeTime: time, duration: range.duration,
            isKeyframe: true, byteCount: 1, payload: Payload(range))
    }

    func seek(to time: MediaTime) throws(MediaError) {
        for id in positions.keys {
            positions[id] = Self.position(at: time.isNumeric ? time : .zero)
        }
        pending = nil
        // Without a selected track, reading would go on to the end of the file.
        readsOthers = hasOthers
        if hasOthers { try base.seek(to: time) }
    }

    func seek(
        to time: MediaTime, notBefore earliest: MediaTime, notAfter latest: MediaTime
    ) throws(MediaError) -> Bool {
        guard hasOthers else {
            try seek(to: time)
            return false
        }
        pending = nil
        readsOthers = true
        let isLate = try base.seek(to: time, notBefore: earliest, notAfter: latest)
        // Audio before the first frame is not played.
        for id in positions.keys {
            positions[id] = Self.position(at: time.isNumeric ? time : .zero)
        }
        return isLate
    }

    func keyframeIndex(of track: AssetTrack) -> KeyframeIndex {
        tracks[track.id] == nil ? base.keyframeIndex(of: track) : KeyframeIndex()
    }

    func prefer(_ variants: VariantPreference) { base.prefer(variants) }

    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder { try base.makeVideoDecoder(for: track, pool: pool) }

    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder {
        guard let mix = tracks[track.id] else {
            return try base.makeAudioDecoder(for: track, format: format)
        }
        return MixedAudioDecoder(mix, of: asset, format: format, cancellation: cancellation)
    }

    func makeSubtitleDecoder(
        for track: AssetTrack
    ) throws(MediaError) -> any SubtitleDecoder { try base.makeSubtitleDecoder(for: track) }

    func makeSubtitleDemuxer(
        for track: AssetTrack
    ) throws(MediaError) -> (any Demuxer)? { try base.makeSubtitleDemuxer(for: track) }

    var transfer: TransferMonitor? { base.transfer }
    var limits: MediaLimits { base.limits }
}
