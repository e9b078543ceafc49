// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A demuxer whose video packets are the times of a video composition's frames. It reads the
/// packets of other tracks from the asset. The composition can be exchanged meanwhile.
///
/// - Concurrency: one thread at a time, as the protocol requires.
final class ComposedDemuxer: Demuxer, @unchecked Sendable {
    // Unchecked: used by one thread at a time; the rest is constant.

    /// The time of a frame, and that of the next one.
    final class Payload: Sendable {
        let time: MediaTime
        let end: MediaTime
        /// The edition of the composition whose frame it is.
        let edition: Int

        init(time: MediaTime, end: MediaTime, edition: Int) {
            self.time = time
            self.end = end
            self.edition = edition
        }
    }

    let description: AssetDescription
    private let asset: Asset
    private let base: any Demuxer
    private let live: LiveVideoComposition
    /// The edition of the composition in `source`.
    private var edition: Int
    private let engine: any VideoCompositionEngine
    private let cancellation: Cancellation
    /// The source of the times of the composed frames. It decodes only if these are the times of a
    /// track's frames.
    private let source: VideoCompositionSource
    private let trackID: Int
    private let range: MediaTimeRange
    /// The time of the next frame; nil if the video is not selected.
    private var next: MediaTime?
    private var hasOthers = true
    private var readsOthers = true
    /// A packet of another track that is due after the next frame.
    private var pending: MediaPacket?

    /// Creates a demuxer for an asset of its own, whose description has the composed track.
    convenience init(
        _ asset: Asset, composition: VideoComposition, engine: any VideoCompositionEngine,
        cancellation: Cancellation
    ) throws(MediaError) {
        let base = try asset.openDemuxer(cancellation: cancellation)
        try self.init(
            asset, over: base, LiveVideoComposition(composition), engine: engine,
            cancellation: cancellation
        ) { track, whole in
            var description = whole
            description.container = "video composition"
            description.tracks = whole.tracks.compactMap { other in
                // Captions are in the data of a video, which is not read.
                guard other.mediaType == .video else { return other.captions == nil ? other : nil }
                return other.id == track.id ? Self.track(track, composition, whole) : nil
            }
            return description
        }
    }

    /// Creates a demuxer.
    ///
    /// - Parameters:
    ///   - base: The demuxer of the asset, which no one else uses.
    ///   - describe: Returns the description of the demuxer from the track that shows the frames
    ///     and the description of the asset.
    init(
        _ asset: Asset, over base: any Demuxer, _ live: LiveVideoComposition,
        engine: any VideoCompositionEngine, cancellation: Cancellation,
        describe: (AssetTrack, AssetDescription) -> AssetDescription
    ) throws(MediaError) {
        self.asset = asset
        self.base = base
        self.live = live
        self.engine = engine
        self.cancellation = cancellation
        let whole = base.description
        let (composition, edition) = live.current
        self.edition = edition
        do throws(VideoCompositionError) {
            source = try VideoCompositionSource(
                asset: asset, composition: composition ?? .unchanged(whole), timeRange: nil,
                description: whole, cancellation: cancellation)
        } catch {
            throw error.mediaError(subject: asset.subject)
        }
        range = whole.shownRange
        guard range.end.isNumeric else {
            throw MediaError(
                .cannotOpen, subject: asset.subject,
                cause: "its duration is unknown, but a video composition needs the duration",
                remedy: "read it with a reader's composition output")
        }
        guard let track = whole.preferredTrack(of: .video) else {
            throw MediaError(
                .noPlayableTracks, subject: asset.subject, cause: "it has no video to compose")
        }
        trackID = track.id
        description = describe(track, whole)
        next = range.start
        selectTracks(Set(description.tracks.map(\.id)))
    }

    /// Returns the description of the composed track.
    private static func track(
        _ first: AssetTrack, _ composition: VideoComposition, _ description: AssetDescription
    ) -> AssetTrack {
        let size = composition.pixelSize
        let timing = description.tracks.first { $0.id == composition.sourceTrackIDForFrameTiming }
        let step = composition.frameDuration
        let isOpaque = composition.instructions.allSatisfy { $0.backgroundColor.w >= 1 }
        return AssetTrack(
            id: first.id, mediaType: .video,
            formatDescription: FormatDescription(
                codec: "rawvideo",
                video: FormatDescription.Video(
                    width: size.width, height: size.height,
                    pixelFormat: isOpaque ? "rgb24" : "rgba",
                    attachments: PixelBufferAttachments(
                        color: .picture(in: composition.colorSpace)))),
            isDefault: true, timeRange: description.shownRange,
            timeUnit: timing?.timeUnit ?? MediaTime(value: 1, timescale: step.timescale),
            nominalFrameRate: timing?.nominalFrameRate ?? 1 / step.seconds,
            frameDuration: timing?.frameDuration ?? step,
            minimumFrameDuration: timing?.minimumFrameDuration ?? step)
    }

    func selectTracks(_ identifiers: Set<Int>) {
        if !identifiers.contains(trackID) {
            next = nil
        } else if next == nil {
            next = pending?.presentationTime ?? range.start
        }
        let others = identifiers.subtracting([trackID])
        hasOthers = !others.isEmpty
        readsOthers = hasOthers
        pending = nil
        base.selectTracks(others)
    }

    func readPacket() throws(MediaError) -> MediaPacket? {
        if pending == nil, readsOthers {
            pending = try base.readPacket()
            if pending == nil { readsOthers = false }
        }
        update()
        guard let time = next, time < range.end else {
            defer { pending = nil }
            return pending
        }
        if let packet = pending {
            let due = packet.decodeTime.isNumeric ? packet.decodeTime : packet.presentationTime
            if !due.isNumeric || due < time {
                pending = nil
                return packet
            }
        }
        let following: MediaTime
        do throws(VideoCompositionError) {
            following = try source.nextTime(after: time)
        } catch {
            throw error.mediaError(subject: asset.subject)
        }
        next = following
        let end = min(following, range.end)
        return MediaPacket(
            trackID: trackID, presentationTime: time, decodeTime: time, duration: end - time,
            isKeyframe: true, byteCount: 1,
            payload: Payload(time: time, end: end, edition: edition))
    }

    /// Takes the latest composition, if it has no error. The decoder reports errors.
    private func update() {
        guard live.edition != edition else { return }
        let (composition, edition) = live.current
        self.edition = edition
        do throws(VideoCompositionError) {
            try source.exchange(composition ?? .unchanged(source.description))
            // The packet before this time stands for all frames that begin during it.
            guard let time = next else { return }
            let shown = try source.time(at: time)
            next =
                shown < time - VideoFrame.timeTolerance ? try source.nextTime(after: shown) : shown
        } catch {
            // The earlier composition remains.
        }
    }

    func seek(to time: MediaTime) throws(MediaError) {
        let target = time.isNumeric ? max(time, range.start) : range.start
        update()
        if next != nil {
            do throws(VideoCompositionError) {
                next = target < range.end ? try source.time(at: target) : try lastTime()
            } catch {
                throw error.mediaError(subject: asset.subject)
            }
        }
        pending = nil
        // Without a selected track, reading would go on to the end of the file.
        readsOthers = hasOthers
        if hasOthers { try base.seek(to: time) }
    }

    /// Returns the time of the last frame.
    private func lastTime() throws(VideoCompositionError) -> MediaTime {
        let step = min(source.composition.frameDuration, range.duration).multiplied(by: 1, over: 8)
        return try source.time(at: range.end - step)
    }

    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder {
        guard track.id == trackID else { return try base.makeVideoDecoder(for: track, pool: pool) }
        let (composition, edition) = live.current
        do throws(VideoCompositionError) {
            let whole = source.description
            return ComposedVideoDecoder(
                try VideoCompositionSource(
                    asset: asset, composition: composition ?? .unchanged(whole), timeRange: nil,
                    description: whole, cancellation: cancellation), live: live,
                edition: edition, engine: engine, cancellation: cancellation)
        } catch {
            throw error.mediaError(subject: asset.subject)
        }
    }

    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder {
        try base.makeAudioDecoder(for: track, format: format)
    }

    func makeSubtitleDecoder(
        for track: AssetTrack
    ) throws(MediaError) -> any SubtitleDecoder { try base.makeSubtitleDecoder(for: track) }

    func makeSubtitleDemuxer(
        for track: AssetTrack
    ) throws(MediaError) -> (any Demuxer)? { try base.makeSubtitleDemuxer(for: track) }

    func prefer(_ variants: VariantPreference) { base.prefer(variants) }
    func followGrowth() { base.followGrowth() }
    func reloadPlaylist() { base.reloadPlaylist() }
    func deliverTimedMetadata(to inbox: TimedMetadataInbox) {
        base.deliverTimedMetadata(to: inbox)
    }
    func resume() throws(MediaError) { try base.resume() }
    var transfer: TransferMonitor? { base.transfer }
    var liveMonitor: LiveMonitor? { base.liveMonitor }
    var arrivalMonitor: ArrivalMonitor? { base.arrivalMonitor }
    var canResume: Bool { base.canResume }
    var limits: MediaLimits { base.limits }
}
