// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadBuffers
public import PlayheadTime

/// A generator of images from a video at given times, for thumbnails, posters and stills.
///
///     let generator = ImageGenerator(asset: asset, options: .init(maximumSize: (320, 180)))
///     let poster = try await generator.image(at: MediaTime(value: 5, timescale: 1))
///     for await result in generator.images(for: times) { … }
///
/// One decoder serves all requests, one after another, on a thread of the generator. Requests in
/// the order of their times cost the least; `.asReady` sorts them.
///
/// - Concurrency: any thread.
/// - Ownership: opens the media with the first request and closes it when released.
/// - Errors: `MediaError`; `noSuchFrame` after the end, `cancelled` after
///   `cancelAllImageGeneration` or the cancellation of the waiting task.
/// - Corresponds to: `AVAssetImageGenerator`.
public final class ImageGenerator: Sendable {
    /// The options of an image generator.
    public struct Options: Sendable {
        /// The maximum size of images, in pixels; 0 for no limit. Images are fitted into it, and
        /// their aspect ratio is kept.
        public var maximumSize: (width: Int, height: Int)
        /// A Boolean value that indicates whether images are rotated and mirrored as the track
        /// declares. It is true by default, unlike in AVFoundation. The pixel aspect ratio is
        /// always applied.
        public var appliesPreferredTrackTransform: Bool
        /// The tolerance before the requested time. An image may show an earlier frame than the one
        /// at the requested time, by up to this tolerance. A larger tolerance is faster; if it is
        /// infinite, only keyframes are decoded.
        ///
        /// - Corresponds to: `requestedTimeToleranceBefore`. Frames after the requested time are
        ///   never taken.
        public var requestedTimeToleranceBefore: MediaTime
        /// The video track; nil for the preferred one.
        public var trackID: Int?
        /// The colour space of the images. Standard-range video keeps its code values; PQ and HLG
        /// are converted and tone mapped, as the renderer does.
        public var colorSpace: ColorSpace
        /// A Boolean value that indicates whether the generator's thread and its decoder's threads
        /// have the lowest priority, for use during playback.
        package var yieldsToOthers = false

        /// Creates options. By default, images have the full size and show the keyframe at or
        /// before the requested time.
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

        /// Options for the frame at exactly the requested time.
        public static var exact: Options { Options(requestedTimeToleranceBefore: .zero) }

        /// Returns the image of a frame.
        func image(of buffer: PixelBuffer) -> RGBAImage {
            let size = StillConverter.size(
                of: buffer, within: maximumSize, isUpright: appliesPreferredTrackTransform)
            return StillConverter.image(
                of: buffer, width: size.width, height: size.height,
                isUpright: appliesPreferredTrackTransform, colorSpace: colorSpace)
        }
    }

    /// The asset that the images are from.
    public let asset: Asset
    /// The options of the generator.
    public let options: Options
    private let worker: ImageWorker

    /// Creates a generator. The media is opened with the first request.
    public init(asset: Asset, options: Options = Options()) {
        self.asset = asset
        self.options = options
        worker = Self.worker(asset, options) { () throws(MediaError) in
            try PictureFinder(asset: asset, trackID: options.trackID)
        }
    }

    /// Creates a generator that finds frames with the object that `makeFinder` returns.
    ///
    /// - Parameter makeFinder: Opens the media and returns the object that finds frames. Called
    ///   with the first request.
    package init(
        asset: Asset, options: Options,
        makeFinder: @escaping @Sendable () throws(MediaError) -> any VideoFrameFinder
    ) {
        self.asset = asset
        self.options = options
        worker = Self.worker(asset, options, makeFinder)
    }

    private static func worker(
        _ asset: Asset, _ options: Options, _ makeFinder: @escaping ImageWorker.FinderMaker
    ) -> ImageWorker {
        ImageWorker(
            asset: asset, makeFinder: makeFinder,
            toleranceBefore: options.requestedTimeToleranceBefore,
            yieldsToOthers: options.yieldsToOthers, convert: options.image)
    }

    deinit { worker.end() }

    /// Returns the image at a time.
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

    /// Returns the images at several times, one after another.
    ///
    /// Only a few images are made ahead of the consumer, so a batch of any size uses little memory.
    ///
    /// - Parameter order: the order of the requests, or the order that costs least.
    /// - Corresponds to: `images(for:)`.
    public func images(for times: [MediaTime], order: Images.Order = .asRequested) -> Images {
        Images(generator: self, worker: worker, times: times, order: order)
    }

    /// Cancels all pending requests, which end with the error `cancelled`. The generator can still
    /// be used.
    ///
    /// - Corresponds to: `cancelAllCGImageGeneration`.
    public func cancelAllImageGeneration() { worker.cancelAll() }

    /// Opens the media now, so that its errors are reported before the first request. Blocks.
    @discardableResult
    package func open() throws(MediaError) -> AssetDescription { try worker.open() }

    /// Returns the image at a time. Blocks until the frame is read and decoded.
    ///
    /// - Corresponds to: `copyCGImage(at:actualTime:)`.
    public func copyImage(at time: MediaTime) throws(MediaError) -> GeneratedImage {
        let frame = try copyFrame(at: time)
        return GeneratedImage(
            image: options.image(of: frame.pixelBuffer), requestedTime: time,
            actualTime: frame.presentationTime)
    }

    /// Returns the decoded frame at a time, for callers that draw it themselves. Blocks.
    package func copyFrame(at time: MediaTime) throws(MediaError) -> VideoFrame {
        try worker.frame(at: time)
    }
}

extension ImageGenerator {
    /// Returns the image that represents a file as a whole, such as an album's cover; nil if the
    /// file has none.
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

    /// Returns the image of a chapter: the file's own image if it has chapter images, otherwise the
    /// frame at the start of the chapter.
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
