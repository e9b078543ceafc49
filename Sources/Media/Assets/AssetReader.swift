// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// Reads the pictures of one track, one after another, every one of them and exactly: for tools that
/// have all the time they need, such as exporting, stepping and taking snapshots. For display use a
/// player.
///
///     let reader = try AssetReader(asset: asset)
///     while let frame = try reader.nextFrame() { … }
///     let picture = try reader.frame(at: MediaTime(value: 5, timescale: 1))
///
/// Pictures that cannot be decoded are left out and counted.
///
/// - Concurrency: one thread at a time; calls block for reading and decoding.
/// - Errors: what opening and reading throw; and `decodingFailed` when not one picture of the whole
///   track could be decoded.
/// - Corresponds to: `AVAssetReader`, and `AVAssetImageGenerator` with zero tolerances.
public final class AssetReader {
    /// The asset, as it was found on opening.
    public let description: AssetDescription
    /// The track that is read.
    public let track: AssetTrack
    /// How many packets or pictures could not be decoded so far.
    public var decodeErrorCount: Int { loop.errorCount }
    /// Why the last of them could not.
    public var lastDecodeError: MediaError? { loop.lastError }

    private let subject: String
    private let demuxer: any Demuxer
    private let decoder: any VideoDecoder
    private let loop: DecodingLoop<VideoFrame>
    private let timeRange: MediaTimeRange?
    /// A picture that was decoded to see where reading stands, and comes next.
    private var held: VideoFrame?
    private var isAtStart = true
    private var isPastRange = false

    /// How far a seek that landed late goes back before it tries again; doubled each time.
    private static let firstStepBack = MediaTime(value: 1, timescale: 2)
    /// Opens an asset for reading.
    ///
    /// - Parameters:
    ///   - trackID: a video track; the preferred one when nil.
    ///   - timeRange: reads only pictures whose display begins in it; all when nil.
    ///   - cancellation: ends blocking calls soon once cancelled, by an error.
    public init(
        asset: Asset, trackID: Int? = nil, timeRange: MediaTimeRange? = nil,
        cancellation: Cancellation = Cancellation()
    ) throws(MediaError) {
        subject = asset.subject
        demuxer = try asset.openDemuxer(cancellation: cancellation)
        description = demuxer.description
        let tracks = description.tracks(of: .video)
        let chosen =
            trackID.map { id in tracks.first { $0.id == id } }
            ?? description.preferredTrack(of: .video)
        guard let track = chosen else {
            throw MediaError(
                .noPlayableTracks, subject: asset.subject,
                cause: trackID.map { "it has no video track \($0)" } ?? "it has no pictures",
                remedy: tracks.isEmpty
                    ? "use a file that has"
                    : "use one of \(tracks.map { String($0.id) }.joined(separator: ", "))")
        }
        self.track = track
        self.timeRange = timeRange
        demuxer.selectTracks([track.id])
        let decoder = try demuxer.makeVideoDecoder(for: track)
        self.decoder = decoder
        loop = DecodingLoop(
            demuxer: demuxer, send: decoder.send, receive: decoder.receive)
    }

    /// The next picture; nil after the last.
    public func nextFrame() throws(MediaError) -> VideoFrame? {
        // Seeking to the very start is left out: it gains nothing, and not all formats can.
        if isAtStart, let timeRange, timeRange.start > description.startTime {
            try seek(to: timeRange.start)
        }
        isAtStart = false
        while !isPastRange, let frame = try takeFrame() {
            guard let timeRange else { return frame }
            isPastRange =
                frame.presentationTime.isNumeric && frame.presentationTime >= timeRange.end
            if timeRange.contains(frame.presentationTime) { return frame }
        }
        return nil
    }

    /// The picture that is on display at a time: the last one that begins at or before it, to a
    /// microsecond (`VideoFrame.timeTolerance`, as in a player), or the first of all for a time before
    /// that. `nextFrame` goes on with the one after it.
    ///
    /// - Throws: `noSuchFrame` for a time after the end.
    public func frame(at time: MediaTime) throws(MediaError) -> VideoFrame {
        precondition(time.isNumeric, "a picture at \(time): not a time")
        try seek(to: time)
        let limit = time + VideoFrame.timeTolerance
        var found: VideoFrame?
        while let frame = try takeFrame() {
            if let found, frame.presentationTime > limit {
                held = frame
                return found
            }
            found = frame
            if frame.presentationTime > limit { break }
        }
        guard let found else { throw noFrame(at: time) }
        guard time > found.presentationTime, loop.hasEnded else { return found }
        // The last picture stays on to the end of its duration, and to the end of the asset.
        let duration = found.duration.isNumeric ? found.duration : .zero
        let end = max(found.presentationTime + duration, description.startTime + knownDuration)
        guard time <= end else { throw noFrame(at: time, last: found.presentationTime) }
        return found
    }

    private var knownDuration: MediaTime {
        description.duration.isNumeric ? description.duration : .zero
    }

    private func noFrame(at time: MediaTime, last: MediaTime? = nil) -> MediaError {
        MediaError(
            .noSuchFrame, subject: subject,
            cause: "there is no picture at \(time.clockDescription)",
            remedy: last.map { "the last one is at \($0.clockDescription)" }
                ?? "the track holds none")
    }

    // MARK: - Reading

    /// Moves so that the next picture is the last keyframe's at or before `time`, or an earlier one,
    /// or the first of all. A seek can land late where pictures are stored out of order, or where
    /// those that follow a keyframe need ones before it; then it is tried again from further back.
    private func seek(to time: MediaTime) throws(MediaError) {
        let start = description.startTime
        var aim = max(time, start)
        var step = Self.firstStepBack
        while true {
            try demuxer.seek(to: aim)
            decoder.flush()
            loop.restart()
            isAtStart = false
            isPastRange = false
            held = nil
            held = try loop.next()
            if aim <= start { return }
            if let held, held.presentationTime <= time { return }
            aim = max(aim - step, start)
            step += step
        }
    }

    private func takeFrame() throws(MediaError) -> VideoFrame? {
        if let frame = held {
            held = nil
            return frame
        }
        return try loop.next()
    }
}
