// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// Reads the times of a file's frames, then the peaks of its audio, on a thread of low priority.
///
/// - Concurrency: any thread; reports arrive on the main thread.
final class TrimScan: Sendable {
    /// The results of reading.
    enum Report: Sendable {
        case frames([TrimTimeline.Frame])
        /// All frames have been reported.
        case complete
        /// The waveform as far as it has been read.
        case waveform(TrimWaveform, isComplete: Bool)
        case failed(MediaError)
    }

    typealias Handler = @MainActor @Sendable (Report) -> Void

    private let asset: Asset
    private let cancellation = Cancellation()
    private let handler: Handler

    /// The number of frames in a report.
    private static let batch = 2000
    /// The audio between two reports of the waveform.
    private static let audioStep = MediaTime(value: 60, timescale: 1)

    /// Starts to read.
    init(asset: Asset, handler: @escaping Handler) {
        self.asset = asset
        self.handler = handler
        _ = WorkerThread(name: "ph-trim") {
            WorkerThread.yieldToOthers()
            self.run()
        }
    }

    /// Ends reading soon. Reports that are on their way still arrive.
    func cancel() { cancellation.cancel() }

    private func report(_ report: Report) {
        guard !cancellation.isCancelled else { return }
        Task { @MainActor [handler] in handler(report) }
    }

    private func run() {
        do throws(MediaError) {
            try readFrames()
            try readAudio()
        } catch {
            report(.failed(error))
        }
    }

    private func readFrames() throws(MediaError) {
        let demuxer = try asset.openDemuxer(cancellation: cancellation)
        guard let track = demuxer.description.preferredTrack(of: .video) else { return }
        demuxer.selectTracks([track.id])
        var frames: [TrimTimeline.Frame] = []
        while let packet = try demuxer.readPacket() {
            if cancellation.isCancelled { return }
            guard packet.trackID == track.id else { continue }
            frames.append(
                TrimTimeline.Frame(time: packet.presentationTime, isKeyframe: packet.isKeyframe))
            guard frames.count == Self.batch else { continue }
            report(.frames(frames))
            frames = []
        }
        report(.frames(frames))
        report(.complete)
    }

    private func readAudio() throws(MediaError) {
        let reader = try AssetReader(asset: asset, cancellation: cancellation)
        guard let track = reader.description.preferredTrack(of: .audio),
            let audio = track.formatDescription.audio
        else { return }
        let channels: [AudioChannel] =
            audio.channels.isEmpty ? [.frontLeft, .frontRight] : audio.channels
        let output = try reader.addAudioOutput(
            trackID: track.id,
            format: AudioFormat(sampleRate: audio.sampleRate, channels: channels))
        var waveform = TrimWaveform(
            sampleRate: audio.sampleRate, duration: reader.description.end)
        var next = Self.audioStep
        while let buffer = try output.copyNextSampleBuffer() {
            if cancellation.isCancelled { return }
            waveform.add(buffer)
            guard buffer.presentationTime >= next else { continue }
            next = buffer.presentationTime + Self.audioStep
            report(.waveform(waveform, isComplete: false))
        }
        report(.waveform(waveform, isComplete: true))
    }
}
