// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadBuffers
package import PlayheadTime

/// A source of the tracks' frames from which a video composition is drawn, and of the times of the
/// composed frames.
///
/// Requests are fastest if their times ascend.
///
/// - Concurrency: one thread at a time; calls block while they read and decode.
package final class VideoCompositionSource {
    /// The description of the asset.
    package let description: AssetDescription
    /// The composition.
    package private(set) var composition: VideoComposition
    /// The name of the asset for error texts.
    package let subject: String

    private let asset: Asset
    private let cancellation: Cancellation
    private var feeds: [Int: VideoTrackFeed] = [:]

    /// Opens an asset.
    ///
    /// - Parameters:
    ///   - timeRange: The time that the composition must cover; nil for the whole asset.
    ///   - description: The description of the asset, if it is known.
    /// - Throws: The first error in the composition; the error of opening the asset.
    package init(
        asset: Asset, composition: VideoComposition, timeRange: MediaTimeRange?,
        description: AssetDescription? = nil, cancellation: Cancellation
    ) throws(VideoCompositionError) {
        self.asset = asset
        self.composition = composition
        self.cancellation = cancellation
        subject = asset.subject
        do throws(MediaError) {
            self.description =
                if let description {
                    description
                } else {
                    try AssetReader(asset: asset, cancellation: cancellation).description
                }
        } catch {
            throw VideoCompositionError(error)
        }
        let whole = self.description.shownRange
        let range = timeRange.map(whole.intersection) ?? whole
        try composition.validate(tracks: self.description.tracks, timeRange: range)
    }

    /// Exchanges the composition. The tracks remain open.
    ///
    /// - Throws: The first error in the new composition. The old one remains.
    func exchange(_ composition: VideoComposition) throws(VideoCompositionError) {
        try composition.validate(
            tracks: description.tracks, timeRange: description.shownRange)
        self.composition = composition
    }

    /// Returns the content of a frame that begins at a time.
    package func frame(
        at time: MediaTime, until end: MediaTime
    ) throws(VideoCompositionError) -> VideoCompositionFrame {
        guard let index = composition.instructionIndex(at: time) else {
            throw VideoCompositionError(
                .gap, cause: "no instruction covers the time",
                remedy: VideoCompositionError.gapRemedy, time: time)
        }
        let instruction = composition.instructions[index]
        var frames: [Int: VideoFrame] = [:]
        for id in instruction.requiredSourceTrackIDs {
            do throws(MediaError) {
                if let frame = try feed(of: id, from: time).frame(at: time) { frames[id] = frame }
            } catch {
                throw VideoCompositionError(error)
            }
        }
        return VideoCompositionFrame(
            time: time, duration: end - time, instruction: instruction, instructionIndex: index,
            sourceFrames: frames)
    }

    // MARK: - Times

    /// Returns the start time of the frame that follows the one shown at a time.
    package func nextTime(after time: MediaTime) throws(VideoCompositionError) -> MediaTime {
        let step = gridTime(at: time, isNext: true)
        guard let id = composition.sourceTrackIDForFrameTiming else { return step }
        do throws(MediaError) {
            let (end, next) = try feed(of: id, from: time).surroundings(of: time)
            if let end { return end }
            return next.map { min($0, step) } ?? step
        } catch {
            throw VideoCompositionError(error)
        }
    }

    /// Returns the start time of the frame that is shown at a time.
    package func time(at time: MediaTime) throws(VideoCompositionError) -> MediaTime {
        let start = description.shownRange.start
        let step = max(gridTime(at: time, isNext: false), start)
        guard let id = composition.sourceTrackIDForFrameTiming else { return step }
        do throws(MediaError) {
            let feed = try feed(of: id, from: time)
            if let frame = try feed.frame(at: time) { return max(frame.presentationTime, start) }
            var found = try feed.frame(at: step)?.presentationTime ?? step
            while true {
                let (end, next) = try feed.surroundings(of: found)
                let grid = gridTime(at: found, isNext: true)
                let later = end ?? next.map { min($0, grid) } ?? grid
                guard later <= time + VideoFrame.timeTolerance else { return max(found, start) }
                found = later
            }
        } catch {
            throw VideoCompositionError(error)
        }
    }

    /// Returns a Boolean value that indicates whether nothing is shown at or after a time. Used for
    /// assets whose end is not known.
    package func isOver(at time: MediaTime) throws(VideoCompositionError) -> Bool {
        guard description.shownRange.end.isPositiveInfinity else { return false }
        do throws(MediaError) {
            for track in description.tracks(of: .video) {
                guard let feed = feeds[track.id] else { continue }
                if try !feed.isOver(at: time) { return false }
            }
            return !feeds.isEmpty
        } catch {
            throw VideoCompositionError(error)
        }
    }

    /// Returns the last multiple of the frame duration at or before a time or, if `isNext` is true,
    /// the multiple after that one.
    private func gridTime(at time: MediaTime, isNext: Bool) -> MediaTime {
        let step = composition.frameDuration
        let time = time + VideoFrame.timeTolerance
        let dividend = Int128(time.value) * Int128(step.timescale)
        let divisor = Int128(time.timescale) * Int128(step.value)
        let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
        let index = (rest < 0 ? quotient - 1 : quotient) + (isNext ? 1 : 0)
        return MediaTime(value: Int64(index) * step.value, timescale: step.timescale)
    }

    private func feed(of id: Int, from time: MediaTime) throws(MediaError) -> VideoTrackFeed {
        if let feed = feeds[id] { return feed }
        let feed = try VideoTrackFeed(
            asset: asset, trackID: id, from: time, cancellation: cancellation)
        feeds[id] = feed
        return feed
    }
}
