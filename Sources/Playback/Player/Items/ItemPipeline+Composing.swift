// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The composition of the video tracks, and its exchange.
///
/// An item that was opened with a composition draws its frames, and a new composition applies from
/// the visible frame on: frames that are in the queue are drawn again, and the timeline continues.
/// An item that was opened without one reads its packets again from the playhead, through the
/// demuxer that composes.
extension ItemPipeline {
    /// The state of an exchange.
    struct Composing {
        var rules: (any ItemVideoComposing)?
        /// A Boolean value that indicates whether a thread draws frames again.
        var isDrawing = false
        /// A Boolean value that indicates whether the composition was exchanged since that thread
        /// last looked.
        var isPending = false
    }

    /// The composition; nil if none was ever set.
    var videoComposing: (any ItemVideoComposing)? { composing.withLock { $0.rules } }

    /// Applies a composition that was set or exchanged.
    ///
    /// - Parameter rules: The composition, if it is the first one.
    func compose(_ rules: (any ItemVideoComposing)? = nil) {
        if let rules { composing.change { $0.rules = rules } }
        let (isReady, decoder, primary) = control.withLock {
            ($0.transport.tracks.isReady, $0.videoDecoder, $0.videoTrack)
        }
        guard isReady, primary != nil else { return }
        if decoder is any ExchangeableVideoDecoder {
            scrubbed.clear()
            drawAgain()
        } else if videoComposing?.isActive == true {
            openingCount.wrappingAdd(1, ordering: .releasing)
            reopening.store(true, ordering: .releasing)
            post(.reopen)
        }
    }

    /// Returns a demuxer that composes, if there is a composition.
    func composed(
        _ demuxer: any Demuxer, _ cancellation: Cancellation
    ) throws(MediaError) -> any Demuxer {
        guard let rules = videoComposing, rules.isActive else { return demuxer }
        return try rules.demuxer(over: demuxer, of: asset, cancellation: cancellation)
    }

    /// Returns the demuxer to read from now on, after a composition was set for the first time. The
    /// thread of the video takes over its decoder.
    func reopened(_ demuxer: any Demuxer) -> any Demuxer {
        guard reopening.exchange(false, ordering: .acquiringAndReleasing),
            let track = control.withLock({ $0.videoTrack })
        else { return demuxer }
        do {
            let composed = try composed(demuxer, cancellation)
            let decoder = try composed.makeVideoDecoder(for: track, pool: framePool)
            control.withLock { $0.videoDecoder = decoder }
            hasNewDecoder.store(true, ordering: .releasing)
            return composed
        } catch {
            report(error)
            return demuxer
        }
    }

    var openingNumber: Int { openingCount.load(ordering: .acquiring) }

    func takeNewDecoder() -> (any VideoDecoder)? {
        guard hasNewDecoder.load(ordering: .relaxed),
            hasNewDecoder.exchange(false, ordering: .acquiring)
        else { return nil }
        return control.withLock { $0.videoDecoder }
    }

    // MARK: - Frames in the queue

    /// Draws frames again that are in the queue, on a thread of its own.
    private func drawAgain() {
        let begins = composing.change { composing in
            composing.isPending = true
            defer { composing.isDrawing = true }
            return !composing.isDrawing
        }
        guard begins else { return }
        _ = WorkerThread(name: "ph-compose") { [self] in
            while takesExchange() {
                let decoder = control.withLock { $0.videoDecoder }
                if let decoder = decoder as? any ExchangeableVideoDecoder { drawAgain(by: decoder) }
            }
        }
    }

    private func takesExchange() -> Bool {
        composing.change { composing in
            defer { composing.isPending = false }
            composing.isDrawing = composing.isPending
            return composing.isPending
        }
    }

    /// Draws the visible frame first, then those that follow in the direction of playback.
    ///
    /// The playhead may move meanwhile, and the composition may be exchanged again. So the frame
    /// that is visible now is determined before each frame that is drawn.
    ///
    /// If a frame fails, the one before it is shown, as when a frame cannot be decoded. The visible
    /// frame stays.
    private func drawAgain(by decoder: any ExchangeableVideoDecoder) {
        // The decoder takes the new composition with the first frame that it draws.
        var isFirst = true
        /// The times of visible frames that could not be drawn.
        var kept: [MediaTime] = []
        func isOutdated(_ frame: VideoFrame) -> Bool {
            decoder.isOutdated(frame) && !kept.contains(frame.presentationTime)
        }
        while control.withLock({ $0.isAlive }) {
            let visible = seenTime
            let (queue, generation, direction) = frames.contents
            let shown =
                queue.last { $0.presentationTime <= visible + FrameQueue.tolerance } ?? queue.first
            let next: VideoFrame? =
                if let shown, isFirst || isOutdated(shown) {
                    shown
                } else if direction == .forward {
                    queue.first { $0.presentationTime + $0.duration > visible && isOutdated($0) }
                } else {
                    queue.last { $0.presentationTime <= visible && isOutdated($0) }
                }
            guard let next, next.duration.isNumeric else { return }
            // By the new composition, the visible frame may begin earlier than by the old one.
            let isShown = next.presentationTime == shown?.presentationTime
            var start = next.presentationTime
            let end = start + next.duration
            // If the next frame is missing, the playhead may be beyond the end of this one.
            if isShown { start = max(start, min(visible, end - FrameQueue.tolerance * Int32(2))) }
            isFirst = false
            let drawn: [VideoFrame]
            do throws(MediaError) {
                drawn = try decoder.frames(
                    in: MediaTimeRange(start: start, end: end), includesShown: isShown)
            } catch {
                report(error)
                // If the composition itself has an error, the frame is not outdated.
                guard isOutdated(next) else { continue }
                if isShown { kept.append(next.presentationTime) }
                drawn = isShown ? [next] : []
            }
            frames.replace(next, with: drawn, generation: generation)
            if isShown {
                control.change { control in
                    if let size = frames.presentationSize(at: visible) {
                        control.presentationSize = size
                    }
                }
            }
            tellOutputs(.willChange)
        }
    }
}

extension PlayerItem {
    /// The composition of the video tracks; nil if none was ever set.
    package var videoComposing: (any ItemVideoComposing)? { pipeline.videoComposing }

    /// Sets the first composition of the video tracks. It can be set at any time.
    package func setVideoComposing(_ rules: any ItemVideoComposing) { pipeline.compose(rules) }

    /// Applies a change of the composition.
    package func videoComposingHasChanged() { pipeline.compose() }
}
