// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadBuffers
public import PlayheadTime

/// Makes pictures of a film at given times: thumbnails, posters, stills.
///
///     let generator = ImageGenerator(asset: asset, options: .init(maximumSize: (320, 180)))
///     let poster = try await generator.image(at: MediaTime(value: 5, timescale: 1))
///     for await result in generator.images(for: times) { … }
///
/// One decoder serves all requests, one after another, on a thread of the generator's own. Times in
/// rising order cost least; `.asReady` sees to that.
///
/// - Concurrency: any thread.
/// - Ownership: opens the film with the first request and closes it when released.
/// - Errors: `MediaError`; `noSuchFrame` after the end, `cancelled` after `cancelAllImageGeneration` or
///   the cancellation of the task that waits.
/// - Corresponds to: `AVAssetImageGenerator`.
public final class ImageGenerator: Sendable {
    /// How pictures are made.
    public struct Options: Sendable {
        /// The picture is made to fit into this, its shape kept; 0 stands for no limit.
        public var maximumSize: (width: Int, height: Int)
        /// Whether it is turned and mirrored as the film says; true at first, where AVFoundation's is false.
        /// Pixel aspect is always applied.
        public var appliesPreferredTrackTransform: Bool
        /// How much earlier than what is on display at the requested time the picture may begin. More
        /// is faster: with no limit, only keyframes are decoded.
        ///
        /// - Corresponds to: `requestedTimeToleranceBefore`; later pictures are never taken.
        public var requestedTimeToleranceBefore: MediaTime
        /// A video track; the preferred one when nil.
        public var trackID: Int?
        /// What the picture's numbers stand for. Films of standard range keep theirs; others, PQ and
        /// HLG, are converted and tone mapped, as the renderer does.
        public var colorSpace: ColorSpace
        /// Whether its thread, and those of its decoder, let all others go first, as beside a film that
        /// plays.
        package var yieldsToOthers = false

        public init(
            maximumSize: (width: Int, height: Int) = (0, 0),
            appliesPreferredTrackTransform: Bool = true,
            requestedTimeToleranceBefore: MediaTime = .positiveInfinity, trackID: Int? = nil,
            colorSpace: ColorSpace = .bt709
        ) {
            self.maximumSize = maximumSize
            self.appliesPreferredTrackTransform = appliesPreferredTrackTransform
            self.requestedTimeToleranceBefore = requestedTimeToleranceBefore
            self.trackID = trackID
            self.colorSpace = colorSpace
        }

        /// What is on display at the requested time, and nothing else.
        public static var exact: Options { Options(requestedTimeToleranceBefore: .zero) }
    }

    /// Whose pictures it makes.
    public let asset: Asset
    /// How pictures are made.
    public let options: Options
    private let worker: ImageWorker

    public init(asset: Asset, options: Options = Options()) {
        self.asset = asset
        self.options = options
        worker = ImageWorker(asset: asset, options: options)
    }

    deinit { worker.end() }

    /// The picture at a time.
    ///
    /// - Corresponds to: `image(at:)`.
    public func image(at time: MediaTime) async throws(MediaError) -> GeneratedImage {
        let batch = ImageBatch(worker: worker, times: [time])
        defer { batch.cancel() }
        let result = await withTaskCancellationHandler {
            await batch.next()
        } onCancel: {
            batch.cancel()
        }
        guard let result else { throw worker.cancellationError }
        return try result.result.get()
    }

    /// The pictures at several times, one after another.
    ///
    /// Only a few are made before they are taken, so a batch of any size uses little memory.
    ///
    /// - Parameter order: of the requests, or the order in which they cost least.
    /// - Corresponds to: `images(for:)`.
    public func images(for times: [MediaTime], order: Images.Order = .asRequested) -> Images {
        Images(generator: self, worker: worker, times: times, order: order)
    }

    /// Drops all requests that are under way: they end in the error `cancelled`. The generator can be
    /// used on.
    ///
    /// - Corresponds to: `cancelAllCGImageGeneration`.
    public func cancelAllImageGeneration() { worker.cancelAll() }

    /// Opens the film now, so that what is wrong with it shows before the first request. Blocks.
    @discardableResult
    package func open() throws(MediaError) -> AssetDescription { try worker.open() }

    /// The picture at a time, for callers that may block: it waits for reading and decoding.
    ///
    /// - Corresponds to: `copyCGImage(at:actualTime:)`.
    public func copyImage(at time: MediaTime) throws(MediaError) -> GeneratedImage {
        let frame = try copyFrame(at: time)
        return GeneratedImage(
            image: worker.image(of: frame.pixelBuffer), requestedTime: time,
            actualTime: frame.presentationTime)
    }

    /// The picture at a time as it was decoded, for those who draw it themselves. Blocks.
    package func copyFrame(at time: MediaTime) throws(MediaError) -> VideoFrame {
        try worker.frame(at: time)
    }
}

extension ImageGenerator {
    /// The picture that a file carries for the whole of it, such as an album's cover; nil where it has
    /// none.
    ///
    /// - Corresponds to: the value of `AVMetadataItem` for `commonIdentifierArtwork`.
    package static func artwork(
        of asset: Asset, maximumSize: (width: Int, height: Int) = (0, 0)
    ) async throws(MediaError) -> RGBAImage? {
        let description = try await asset.load(.description)
        guard let track = description.tracks.first(where: { $0.isAttachedPicture }) else {
            return nil
        }
        let options = Options(maximumSize: maximumSize, trackID: track.id)
        return try await ImageGenerator(asset: asset, options: options)
            .image(at: description.startTime).image
    }

    /// The picture of a chapter: the file's own where it has pictures for chapters, else the film's at
    /// the chapter's start.
    public static func image(
        of chapter: Chapter, in asset: Asset, maximumSize: (width: Int, height: Int) = (0, 0)
    ) async throws(MediaError) -> RGBAImage {
        let options = Options(
            maximumSize: maximumSize, requestedTimeToleranceBefore: .zero,
            trackID: chapter.imageTrackID)
        return try await ImageGenerator(asset: asset, options: options)
            .image(at: chapter.timeRange.start).image
    }
}
