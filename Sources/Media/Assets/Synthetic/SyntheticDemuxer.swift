// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The payload of a synthetic packet: the number of the frame, or the number of the audio packet in
/// its track.
final class SyntheticPayload: Sendable {
    let index: Int
    /// A Boolean value that indicates whether no other frame depends on this one.
    let isDisposable: Bool

    init(index: Int, isDisposable: Bool = false) {
        self.index = index
        self.isDisposable = isDisposable
    }
}

/// A demuxer that returns the packets of a synthetic asset in the order in which a file would store
/// them.
final class SyntheticDemuxer: Demuxer, @unchecked Sendable {
    // Unchecked: used by one thread at a time, as the protocol requires; the rest is constant.

    let description: AssetDescription
    private let media: SyntheticMedia
    private let cancellation: Cancellation
    private var selection: Set<Int>
    private var readCount = 0

    /// The media with each of its videos as the first, and the position of the next packet of each
    /// in decoding order.
    private let videos: [SyntheticMedia]
    private var videoPositions: [Int]
    /// The number of the next packet of each audio track, in the order of `media.sounds`.
    private var soundPositions: [Int]

    init(media: SyntheticMedia, cancellation: Cancellation) {
        self.media = media
        self.cancellation = cancellation
        description = media.description
        videos =
            media.frameTimes == nil
            ? [] : (0...media.furtherVideos.count).map { media.leading(video: $0) }
        videoPositions = videos.map { _ in 0 }
        soundPositions = media.sounds.map { _ in 0 }
        selection = Set(description.tracks.map(\.id))
    }

    func selectTracks(_ identifiers: Set<Int>) { selection = identifiers }

    var transfer: TransferMonitor? { media.transfer }

    func readPacket() throws(MediaError) -> MediaPacket? {
        guard let transfer else { return try nextSelectedPacket() }
        return try transfer.wait(byteCount: { $0?.byteCount ?? 0 }) { () throws(MediaError) in
            try nextSelectedPacket()
        }
    }

    private func nextSelectedPacket() throws(MediaError) -> MediaPacket? {
        if let willRead = media.faults.willReadPacket { try willRead(readCount) }
        try checkCancellation()
        while let packet = nextPacket() {
            guard selection.contains(packet.trackID) else { continue }
            if let willReturn = media.faults.willReturnPacket {
                try willReturn(packet.decodeTime)
                try checkCancellation()
            }
            readCount += 1
            return packet
        }
        return nil
    }

    func seek(to time: MediaTime) throws(MediaError) {
        _ = try seek(to: time, notBefore: .negativeInfinity, notAfter: time)
    }

    func seek(
        to time: MediaTime, notBefore earliest: MediaTime, notAfter latest: MediaTime
    ) throws(MediaError) -> Bool {
        if let willSeek = media.faults.willSeek { try willSeek() }
        try checkCancellation()
        var start = time.isNumeric ? max(time, .zero) : .zero
        var isLate = false
        if let times = media.frameTimes, times.count > 0, selection.contains(0) {
            var position = Self.keyframe(at: time, of: media)
            let next = position + media.keyframeStep
            isLate =
                times.time(of: position) < earliest && next < times.count
                && times.time(of: next) > time && times.time(of: next) <= latest
            if isLate { position = next }
            videoPositions[0] = position
            start = min(start, times.time(of: position))
        } else if let count = media.frameTimes?.count {
            videoPositions[0] = count
        }
        let place = selection.contains(0) ? start : time
        for (index, video) in media.furtherVideos.enumerated() {
            videoPositions[index + 1] =
                video.hasIndex || !selection.contains(0)
                ? Self.keyframe(at: place, of: videos[index + 1])
                : Self.position(of: place, in: video.frameTimes)
        }
        for (index, sound) in media.sounds.enumerated() {
            let sample = start.converted(
                toTimescale: Int32(clamping: sound.format.sampleRate), method: .roundTowardZero)
            soundPositions[index] = Int(sample.value) / sound.framesPerPacket
        }
        return isLate
    }

    /// Returns the position of the keyframe at or before a time.
    private static func keyframe(at time: MediaTime, of media: SyntheticMedia) -> Int {
        guard let times = media.frameTimes, times.count > 0 else { return 0 }
        let frame = times.index(at: time) ?? (time < times.end ? 0 : times.count - 1)
        return frame / media.keyframeStep * media.keyframeStep
    }

    /// Returns the position of the first packet at or after a time.
    private static func position(of time: MediaTime, in times: SyntheticFrameTimes) -> Int {
        (0..<times.count).first { times.time(of: $0) >= time } ?? times.count
    }

    func keyframeIndex(of track: AssetTrack) -> KeyframeIndex {
        guard let video = media.videoIndex(ofTrack: track.id).map({ videos[$0] }),
            let times = video.frameTimes, times.count > 0
        else { return KeyframeIndex() }
        let keyframes = stride(from: 0, to: times.count, by: video.keyframeStep)
        return KeyframeIndex(times: keyframes.map(times.time(of:)), end: times.end)
    }

    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder {
        if let willMake = media.faults.willMakeDecoder { try willMake(track.id) }
        guard let index = media.videoIndex(ofTrack: track.id) else {
            throw MediaError(
                .unsupportedCodec, subject: media.name, cause: "track \(track.id) has no video")
        }
        return SyntheticVideoDecoder(media: videos[index], pool: pool)
    }

    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder {
        if let willMake = media.faults.willMakeDecoder { try willMake(track.id) }
        guard let index = media.soundIndex(ofTrack: track.id) else {
            throw MediaError(
                .unsupportedCodec, subject: media.name, cause: "track \(track.id) has no audio")
        }
        return SyntheticAudioDecoder(
            sound: media.sounds[index], format: format, name: media.name,
            undecodable: media.faults.undecodableSoundPackets)
    }

    private func checkCancellation() throws(MediaError) {
        guard cancellation.isCancelled else { return }
        throw MediaError(.cancelled, subject: media.name, cause: "reading was cancelled")
    }

    /// Returns the next packet in the order of the file. Of the next packets of all tracks, it is
    /// the one that is stored first.
    private func nextPacket() -> MediaPacket? {
        var earliest: (time: MediaTime, sound: Int?, video: Int)?
        for (index, video) in videos.enumerated() {
            guard videoPositions[index] < video.frameTimes?.count ?? 0 else { continue }
            let time = video.decodeTime(atPosition: videoPositions[index])
            if time < earliest?.time ?? .positiveInfinity { earliest = (time, nil, index) }
        }
        for (index, sound) in media.sounds.enumerated() {
            guard soundTime(index) < sound.duration else { continue }
            let time = soundTime(index) + media.soundStorageDelay
            if time < earliest?.time ?? .positiveInfinity { earliest = (time, index, 0) }
        }
        guard let earliest else { return nil }
        guard let sound = earliest.sound else {
            return videoPacket(earliest.video) ?? nextPacket()
        }
        defer { soundPositions[sound] += 1 }
        return media.soundPacket(sound, number: soundPositions[sound], time: soundTime(sound))
    }

    private func soundTime(_ index: Int) -> MediaTime {
        let sound = media.sounds[index]
        return MediaTime(
            value: Int64(soundPositions[index] * sound.framesPerPacket),
            timescale: Int32(clamping: sound.format.sampleRate))
    }

    /// Returns the next packet of a video; nil if the file lacks that packet.
    private func videoPacket(_ index: Int) -> MediaPacket? {
        defer { videoPositions[index] += 1 }
        return videos[index].videoPacket(
            atPosition: videoPositions[index], trackID: media.trackID(ofVideo: index))
    }
}
