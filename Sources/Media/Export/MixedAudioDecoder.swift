// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadTime

/// Mixes audio tracks of an asset in the ranges of time of packets.
///
/// Positions are counted in samples from 0, so that the mix is the same wherever it begins.
///
/// - Concurrency: one thread at a time, as the protocol requires.
final class MixedAudioDecoder: AudioDecoder, @unchecked Sendable {
    // Unchecked: used by one thread at a time.

    let format: AudioFormat
    private let track: MixedAudioTrack
    private let asset: Asset
    private let cancellation: Cancellation
    private var sources: [ExportAudioSource] = []
    /// The time from which the sources count, and the index of the next sample; nil before the
    /// first packet and after a seek.
    private var place: (start: MediaTime, next: Int64)?
    private var buffer: AudioBuffer?

    init(
        _ track: MixedAudioTrack, of asset: Asset, format: AudioFormat, cancellation: Cancellation
    ) {
        self.track = track
        self.asset = asset
        self.format = format
        self.cancellation = cancellation
    }

    private func index(at time: MediaTime) -> Int64 {
        time.converted(toTimescale: Int32(clamping: format.sampleRate)).value
    }

    func send(_ packet: MediaPacket?) throws(MediaError) {
        guard let packet, let payload = packet.payload as? MixedAudioDemuxer.Payload else { return }
        let (first, end) = (index(at: payload.range.start), index(at: payload.range.end))
        guard end > first else { return }
        if place?.next != first { try begin(at: first) }
        guard let place else { return }
        let start = index(at: place.start)
        var block = [Float](repeating: 0, count: Int(end - first) * format.channelCount)
        for source in sources {
            let result = block.withUnsafeMutableBufferPointer { block -> Result<Void, MediaError> in
                do throws(MediaError) {
                    _ = try source.add(to: block, from: first - start)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            try result.get()
        }
        self.place?.next = end
        buffer = AudioBuffer(
            format: format, presentationTime: time(of: first), frameCount: Int(end - first)
        ) { _ = $0.update(fromContentsOf: block[..<$0.count]) }
    }

    private func time(of index: Int64) -> MediaTime {
        MediaTime(value: index, timescale: Int32(clamping: format.sampleRate))
    }

    /// Opens the tracks from a sample on.
    private func begin(at index: Int64) throws(MediaError) {
        let start = time(of: index)
        place = nil
        sources = []
        for id in track.trackIDs {
            // A shared reader would hold the packets of one track while the other has a gap.
            let reader = try AssetReader(
                asset: asset, timeRange: MediaTimeRange(start: start, duration: .positiveInfinity),
                cancellation: cancellation)
            let output = try reader.addAudioOutput(trackID: id, format: format)
            sources.append(
                ExportAudioSource(
                    output, format: format,
                    mix: track.mix.parameters(forTrack: id).map {
                        OfflineAudioMix($0, format: format)
                    }, start: start, end: output.track.timeRange.end))
        }
        place = (start, index)
    }

    func receive() throws(MediaError) -> AudioBuffer? {
        defer { buffer = nil }
        return buffer
    }

    func flush() { (buffer, place) = (nil, nil) }
}
