// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadCompositions
package import PlayheadVideoCompositions
import Synchronization

/// An asset whose content is the timeline in a file. Opening the asset reads the file and opens the
/// media of the timeline.
///
/// - Concurrency: any thread.
package final class TimelineAsset: Asset, @unchecked Sendable {
    // Unchecked like its base class; the added properties are constant.

    /// The functions that create assets for clips and stills.
    package struct Makers: Sendable {
        package var asset: @Sendable (TimelineMedia) throws(MediaError) -> Asset
        package var still: @Sendable (StillImage, Int, Int) -> Asset
        /// A function that creates the asset of a composition with transitions.
        package var composed: @Sendable (Asset, VideoComposition?, [AudioCrossfade]) -> Asset

        package init(
            asset: @escaping @Sendable (TimelineMedia) throws(MediaError) -> Asset,
            still: @escaping @Sendable (StillImage, Int, Int) -> Asset,
            composed: @escaping @Sendable (Asset, VideoComposition?, [AudioCrossfade]) -> Asset
        ) {
            self.asset = asset
            self.still = still
            self.composed = composed
        }
    }

    private let path: String

    /// Creates an asset.
    ///
    /// - Parameter noteHandler: A function that is called once, by the thread that first opens the
    ///   asset. It receives the differences from the timeline in the file.
    package init(
        path: String, options: TimelineOptions, makers: Makers,
        noteHandler: @escaping @Sendable ([TimelineNote]) -> Void = { _ in }
    ) {
        self.path = path
        super.init(
            opener: Composing(
                path: path, options: options, makers: makers, noteHandler: noteHandler))
    }

    override package var displayName: String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
    override package var subject: String { path }

    /// An opener that reads the timeline only once, even if the asset is opened several times.
    private final class Composing: AssetOpener {
        private let path: String
        private let options: TimelineOptions
        private let makers: Makers
        private let noteHandler: @Sendable ([TimelineNote]) -> Void
        private let composed = Mutex<Asset?>(nil)

        init(
            path: String, options: TimelineOptions, makers: Makers,
            noteHandler: @escaping @Sendable ([TimelineNote]) -> Void
        ) {
            self.path = path
            self.options = options
            self.makers = makers
            self.noteHandler = noteHandler
        }

        func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
            if let asset = composed.withLock({ $0 }) {
                return try asset.openDemuxer(cancellation: cancellation)
            }
            let timeline = try Timeline(path: path, options: options)
            var opened: [TimelineMedia: TimelineComposer.Opened] = [:]
            for media in TimelineComposer.media(of: timeline) {
                if cancellation.isCancelled {
                    throw MediaError(.cancelled, subject: path, cause: "opening was cancelled")
                }
                do {
                    let asset = try makers.asset(media)
                    let demuxer = try asset.openDemuxer(cancellation: cancellation)
                    opened[media] = .success((asset, demuxer.description))
                } catch {
                    guard error.code != .cancelled else { throw error }
                    opened[media] = .failure(error)
                }
            }
            let (asset, notes): (Asset, [TimelineNote])
            do {
                let result = try TimelineComposer.composition(
                    of: timeline, opened: opened, makeStill: makers.still)
                let whole = result.composition.makeAsset()
                let isPlain = result.videoComposition == nil && result.crossfades.isEmpty
                asset =
                    isPlain
                    ? whole : makers.composed(whole, result.videoComposition, result.crossfades)
                notes = result.notes
            } catch {
                throw MediaError(
                    .damaged, subject: path, cause: error.description, remedy: error.remedy)
            }
            let other = composed.withLock { composed -> Asset? in
                if composed == nil {
                    composed = asset
                    return nil
                }
                return composed
            }
            if other == nil, !notes.isEmpty { noteHandler(notes) }
            return try (other ?? asset).openDemuxer(cancellation: cancellation)
        }
    }
}
