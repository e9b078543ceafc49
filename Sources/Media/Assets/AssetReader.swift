// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// An object that reads all decoded samples of an asset's tracks in a range of time, in order and
/// as fast as possible. It is for export, analysis and tests. To display a video, use a player; for
/// single frames, use an image generator.
///
///     let reader = try AssetReader(asset: asset, timeRange: range)
///     let video = try reader.addVideoOutput()
///     let audio = try reader.addAudioOutput(format: .stereo(sampleRate: 48000))
///     while let frame = try video.copyNextSampleBuffer() { … }
///
/// All outputs share one pass over the file. Video outputs return the frames that begin in the
/// range and, on request, the frame that is displayed at its start. Audio is cut to the range with
/// sample accuracy. Samples that cannot be decoded are skipped and counted.
///
/// - Concurrency: one thread at a time, for a reader and all its outputs together; calls block for
///   reading and decoding. `cancelReading` may be called from any thread.
/// - Errors: those of opening, reading and decoding. `limitExceeded` is thrown if one output is
///   read so far ahead of another that the waiting samples of the other output exceed the memory
///   limit.
/// - Corresponds to: `AVAssetReader`.
public final class AssetReader {
    /// The description of the asset.
    public let description: AssetDescription
    /// The range that is read; nil for the whole asset.
    public private(set) var timeRange: MediaTimeRange?

    /// The asset that is read.
    package let asset: Asset
    private let subject: String
    /// The demuxer. It is also used to create the decoders of sparse tracks.
    package let demuxer: any Demuxer
    private let packets: PacketDistributor
    /// The object that ends blocking calls once it is cancelled.
    package let cancellation: Cancellation
    private var lanes: [any ReadingLane] = []
    private var hasBegun = false
    /// A number that increases with each restart.
    package private(set) var generation = 0

    /// The first step back after a seek that landed too late. The step is doubled with each new
    /// attempt.
    private static let firstStepBack = MediaTime(value: 1, timescale: 2)

    /// Opens an asset for reading.
    ///
    /// - Parameter timeRange: The range to read; nil for the whole asset.
    public convenience init(
        asset: Asset, timeRange: MediaTimeRange? = nil
    ) throws(MediaError) {
        try self.init(asset: asset, timeRange: timeRange, cancellation: Cancellation())
    }

    /// Opens an asset for reading. Another thread may cancel the reader.
    ///
    /// - Parameters:
    ///   - timeRange: The range to read, or nil for the whole asset.
    ///   - cancellation: An object that, once cancelled, soon ends blocking calls with an error.
    package init(
        asset: Asset, timeRange: MediaTimeRange? = nil, cancellation: Cancellation
    ) throws(MediaError) {
        self.asset = asset
        subject = asset.subject
        demuxer = try asset.openDemuxer(cancellation: cancellation)
        description = demuxer.description
        packets = PacketDistributor(demuxer, subject: subject)
        self.cancellation = cancellation
        self.timeRange = timeRange
    }

    /// Adds a video output.
    ///
    /// - Parameters:
    ///   - trackID: The number of a video track, or nil for the preferred track.
    ///   - pool: The pool that provides the memory of frames, as long as it has memory available.
    ///   - includesPictureAtStart: A Boolean value that indicates whether the output begins with
    ///     the frame that is displayed at the start of the range, even if that frame begins
    ///     earlier.
    /// - Precondition: Nothing has been read yet.
    public func addVideoOutput(
        trackID: Int? = nil, pool: (any PixelBufferPool)? = nil,
        includesPictureAtStart: Bool = false
    ) throws(MediaError) -> AssetReaderTrackOutput<VideoFrame> {
        let track = try description.track(trackID, of: .video, in: subject)
        let decoder = try demuxer.makeVideoDecoder(for: track, pool: pool)
        let lane = DecodingLane(track, decoder: decoder, packets: packets)
        add(lane)
        return AssetReaderTrackOutput(
            lane, of: self, includesSampleAtStart: includesPictureAtStart)
    }

    /// Adds an audio output.
    ///
    /// - Parameters:
    ///   - trackID: The number of an audio track, or nil for the preferred track.
    ///   - format: The format to which the audio is converted.
    /// - Precondition: Nothing has been read yet.
    public func addAudioOutput(
        trackID: Int? = nil, format: AudioFormat
    ) throws(MediaError) -> AssetReaderTrackOutput<AudioBuffer> {
        let track = try description.track(trackID, of: .audio, in: subject)
        let decoder = try demuxer.makeAudioDecoder(for: track, format: format)
        let lane = DecodingLane(track, decoder: decoder, packets: packets)
        add(lane)
        return AssetReaderTrackOutput(lane, of: self)
    }

    /// Adds sparse tracks, which have few packets, such as subtitles. Their packets are read
    /// together with those of the outputs, and are stored until `takeSparsePackets` is called.
    package func addSparseTracks(_ identifiers: [Int]) {
        precondition(!hasBegun, "tracks are added before anything is read")
        packets.addSparse(identifiers)
    }

    /// Returns the packets of sparse tracks that were read since the last call.
    package func takeSparsePackets() -> [MediaPacket] { packets.takeSparsePackets() }

    private func add(_ lane: any ReadingLane) {
        precondition(!hasBegun, "outputs are added before anything is read")
        precondition(
            !lanes.contains { $0.track.id == lane.track.id },
            "track \(lane.track.id) has an output already")
        lanes.append(lane)
        packets.add(lane.track.id)
    }

    /// Starts again with another range and the same decoders.
    ///
    /// - Corresponds to: `AVAssetReaderOutput.reset(forReadingTimeRanges:)`.
    public func restart(timeRange: MediaTimeRange?) {
        self.timeRange = timeRange
        needsSeek = needsSeek || hasBegun
        hasBegun = false
        generation += 1
    }

    /// Ends reading. Current and later calls throw `cancelled`. May be called on any thread.
    public func cancelReading() { cancellation.cancel() }

    // MARK: - Reading

    private var needsSeek = false

    /// Seeks to the start of the range before the first sample.
    func begin() throws(MediaError) {
        guard !hasBegun else { return }
        hasBegun = true
        let start = timeRange?.start ?? description.startTime
        // There is no seek to the very start, because it is unnecessary and some formats do not
        // support it.
        guard needsSeek || (start.isNumeric && start > description.startTime) else { return }
        try seek(to: start.isNumeric ? start : description.startTime)
        needsSeek = false
    }

    /// Seeks so that the next sample of each track is at or before `time`, or is the track's first
    /// sample. A seek can land too late if samples are stored out of order, or if the frames after
    /// a keyframe depend on earlier frames. In this case, the seek is repeated with an earlier
    /// target.
    private func seek(to time: MediaTime) throws(MediaError) {
        let start = description.startTime
        var aim = max(time - (lanes.map(\.preroll).max() ?? .zero), start)
        var step = Self.firstStepBack
        while true {
            try packets.seek(to: aim)
            var isEarlyEnough = true
            for lane in lanes { lane.restart() }
            for lane in lanes {
                let landed = try lane.land()
                isEarlyEnough = isEarlyEnough && reaches(landed, time, lane)
            }
            if aim <= start || isEarlyEnough { return }
            aim = max(aim - step, start)
            step += step
        }
    }

    /// Returns whether a track can return every sample from `time` on after a seek that landed at
    /// `landed`.
    private func reaches(_ landed: MediaTime?, _ time: MediaTime, _ lane: any ReadingLane) -> Bool {
        guard let landed else { return false }
        if landed <= time - lane.preroll { return true }
        let start = lane.track.timeRange.start
        return start.isNumeric && landed <= start
    }
}

extension AssetDescription {
    /// Returns the track with the given number, or the preferred track of the type if the number is
    /// nil.
    ///
    /// - Throws: `noPlayableTracks`, with the existing tracks in its text.
    package func track(
        _ id: Int?, of type: MediaType, in subject: String
    ) throws(MediaError) -> AssetTrack {
        let candidates = tracks(of: type)
        let chosen =
            id.map { id in candidates.first { $0.id == id } } ?? preferredTrack(of: type)
        if let chosen { return chosen }
        let missing = type == .audio ? "it has no audio" : "it has no video"
        throw MediaError(
            .noPlayableTracks, subject: subject,
            cause: id.map { "it has no \(type.rawValue) track \($0)" } ?? missing,
            remedy: candidates.isEmpty
                ? "use a file that has one"
                : "use one of \(candidates.map { String($0.id) }.joined(separator: ", "))")
    }
}
