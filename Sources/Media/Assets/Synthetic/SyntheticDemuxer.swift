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

    /// The position of the next video packet in decoding order.
    private var videoPosition = 0
    /// The number of the next packet of each audio track, in the order of `media.sounds`.
    private var soundPositions: [Int]

    init(media: SyntheticMedia, cancellation: Cancellation) {
        self.media = media
        self.cancellation = cancellation
        description = media.description
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
            let frame = times.index(at: time) ?? (time < times.end ? 0 : times.count - 1)
            videoPosition = frame / media.keyframeStep * media.keyframeStep
            let next = videoPosition + media.keyframeStep
            isLate =
                times.time(of: videoPosition) < earliest && next < times.count
                && times.time(of: next) > time && times.time(of: next) <= latest
            if isLate { videoPosition = next }
            start = min(start, times.time(of: videoPosition))
        } else {
            videoPosition = media.frameTimes?.count ?? 0
        }
        for (index, sound) in media.sounds.enumerated() {
            let sample = start.converted(
                toTimescale: Int32(clamping: sound.format.sampleRate), method: .roundTowardZero)
            soundPositions[index] = Int(sample.value) / sound.framesPerPacket
        }
        return isLate
    }

    func keyframeIndex(of track: AssetTrack) -> KeyframeIndex {
        guard let times = media.frameTimes, track.id == 0, times.count > 0 else {
            return KeyframeIndex()
        }
        let keyframes = stride(from: 0, to: times.count, by: media.keyframeStep)
        return KeyframeIndex(times: keyframes.map(times.time(of:)), end: times.end)
    }

    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder {
        guard media.frameTimes != nil, track.id == 0 else {
            throw MediaError(
                .unsupportedCodec, subject: media.name, cause: "track \(track.id) has no video")
        }
        return SyntheticVideoDecoder(media: media, pool: pool)
    }

    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder {
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
        var earliest: (time: MediaTime, sound: Int?)?
        if let times = media.frameTimes, videoPosition < times.count {
            earliest = (media.decodeTime(atPosition: videoPosition), nil)
        }
        for (index, sound) in media.sounds.enumerated() {
            guard soundTime(index) < sound.duration else { continue }
            let time = soundTime(index) + media.soundStorageDelay
            if time < earliest?.time ?? .positiveInfinity { earliest = (time, index) }
        }
        guard let earliest else { return nil }
        guard let sound = earliest.sound else { return videoPacket() ?? nextPacket() }
        defer { soundPositions[sound] += 1 }
        return media.soundPacket(sound, number: soundPositions[sound], time: soundTime(sound))
    }

    private func soundTime(_ index: Int) -> MediaTime {
        let sound = media.sounds[index]
        return MediaTime(
            value: Int64(soundPositions[index] * sound.framesPerPacket),
            timescale: Int32(clamping: sound.format.sampleRate))
    }

    /// Returns the next video packet; nil if the file lacks that packet.
    private func videoPacket() -> MediaPacket? {
        defer { videoPosition += 1 }
        return media.videoPacket(atPosition: videoPosition)
    }
}
