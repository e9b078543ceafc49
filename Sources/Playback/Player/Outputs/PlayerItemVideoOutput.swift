// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// Hands out an item's pictures to whoever asks at the right time.
///
/// Before each vsync a renderer turns the coming vsync's host time into item time, asks whether
/// there is a picture for it that it has not taken yet, and takes it:
///
///     let time = output.itemTime(forHostTime: tick.targetTimestamp)
///     if output.hasNewPixelBuffer(forItemTime: time),
///         let (picture, displayTime) = output.copyPixelBuffer(forItemTime: time) { … }
///
/// Every output keeps its own record of what was taken, so any number of them can sit on one item,
/// which decodes once for all. An output may ask for times ahead of the playhead, as far as frames
/// have been decoded. Frames behind the playhead are discarded whether they were taken or not; an
/// output that falls behind simply gets the frame of the time that it asks for.
///
/// - Concurrency: any thread, one caller at a time. Never waits for a decoder.
/// - Ownership: an item keeps its outputs, and an output its item's frames, until it is removed.
/// - Corresponds to: `AVPlayerItemVideoOutput`.
public final class PlayerItemVideoOutput: PixelBufferSource {
    private struct State {
        /// Strong, since a weak reference costs more than all the rest; a pipeline does not keep
        /// its outputs.
        var pipeline: ItemPipeline?
        /// Identifies the picture taken last.
        var taken: UInt64?
        /// The item time of the host time that was asked for last, and the picture that was taken for such
        /// a one last.
        var vsyncTime = MediaTime.invalid
        var drawn: UInt64?
        var suppressesPlayerRendering = false
    }

    private let state = Mutex(State())
    let notification = Mutex(Notification())

    public init() {}

    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        guard let pipeline else { return .invalid }
        let time = pipeline.timebase.time(atHostTime: hostTime)
        state.withLock { $0.vsyncTime = time }
        return time
    }

    /// Whether there is a picture for `itemTime` other than the one last taken.
    ///
    /// Where a pause has stopped the timeline before a picture that was taken for a vsync to come, that is for
    /// what `itemTime(forHostTime:)` gave, that is the one for the time of the pause until the playhead
    /// moves, for this and other outputs: nothing is stepped back. Nor is it where playing goes on, or
    /// becomes slower.
    public func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        let (pipeline, taken, drawn) = state.withLock { ($0.pipeline, $0.taken, $0.drawn) }
        let frame = pipeline?.frame(at: itemTime, taking: false, viewer: drawn)
        return frame.map { $0.pixelBuffer.identifier != taken } ?? false
    }

    public func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? {
        let (pipeline, drawn) = state.withLock { ($0.pipeline, $0.drawn) }
        guard let frame = pipeline?.frame(at: itemTime, taking: true, viewer: drawn) else {
            return nil
        }
        state.withLock { state in
            state.taken = frame.pixelBuffer.identifier
            if itemTime == state.vsyncTime { state.drawn = state.taken }
        }
        return (frame.pixelBuffer, frame.presentationTime)
    }

    /// The picture that takes the place of the one for `itemTime` as the item plays on, as far as it
    /// has been decoded; nil at the end. Marks nothing as taken.
    public func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer? {
        guard itemTime.isNumeric, step.isNumeric, let pipeline else { return nil }
        return pipeline.upcomingFrame(after: itemTime, step: step)?.pixelBuffer
    }

    /// Whether the picture for `itemTime` is shown only because the next one, which is due, has not
    /// been decoded yet.
    package func isAwaitingPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        guard let pipeline, itemTime.isNumeric else { return false }
        return pipeline.frames.isStarved(at: itemTime)
    }

    /// Waits until the picture for `itemTime` is decided, and gives the time of the one after it:
    /// nil at the end of the item, or when nothing came within `seconds`.
    ///
    /// For rendering that is not bound to real time, which moves a `ManualClock` from frame to
    /// frame. Never from a display link's callback: this is the one call here that waits.
    public func waitForPixelBuffer(after itemTime: MediaTime, seconds: Double = 10) -> MediaTime? {
        guard let pipeline else { return nil }
        // A century at most; a wait that is no number is none.
        let nanoseconds = Int64(min(max(seconds.isNaN ? 0 : seconds, 0), 3e9) * 1_000_000_000)
        return pipeline.frames.waitForFrame(
            after: itemTime, playhead: pipeline.timebase.time, nanoseconds: nanoseconds)
    }

    /// Whether the player is not to show the item itself, since its pictures are shown by way of
    /// this output. Off at first; see `PlayerItem.suppressesPlayerRendering`.
    ///
    /// - Corresponds to: `AVPlayerItemOutput.suppressesPlayerRendering`.
    public var suppressesPlayerRendering: Bool {
        get { state.withLock { $0.suppressesPlayerRendering } }
        set {
            let pipeline = state.withLock { state in
                state.suppressesPlayerRendering = newValue
                return state.pipeline
            }
            pipeline?.noteSuppression()
        }
    }

    /// The item's machinery, while the output is added to one.
    var pipeline: ItemPipeline? { state.withLock { $0.pipeline } }

    /// Identifies the picture that was taken last for what `itemTime(forHostTime:)` gave.
    var drawn: UInt64? { state.withLock { $0.drawn } }

    /// Forgets what was taken: something else has been shown in its place.
    func forgetTaken() { state.withLock { ($0.taken, $0.drawn) = (nil, nil) } }

    /// Called by the item that the output is added to.
    func attach(to pipeline: ItemPipeline) {
        let old = state.withLock { state -> ItemPipeline? in
            guard state.pipeline !== pipeline else { return nil }
            defer {
                state.pipeline = pipeline
                (state.taken, state.drawn) = (nil, nil)
            }
            return state.pipeline
        }
        old?.outputs.remove(self)
        pipeline.outputs.add(self)
        old?.noteSuppression()
        pipeline.noteSuppression()
        reconsider()
    }

    /// Called by the item that the output is removed from; nothing if it is another's by now.
    func detach(from pipeline: ItemPipeline) {
        pipeline.outputs.remove(self)
        state.withLock { state in
            guard state.pipeline === pipeline else { return }
            state.pipeline = nil
            (state.taken, state.drawn) = (nil, nil)
        }
        pipeline.noteSuppression()
    }
}

extension ItemPipeline {
    fileprivate func frame(at time: MediaTime, taking: Bool, viewer: UInt64?) -> VideoFrame? {
        guard time.isNumeric, offersVideo.load(ordering: .relaxed) else { return nil }
        return frames.frame(
            at: time, playhead: timebase.time, taking: taking, viewer: viewer,
            drawn: outputs.all.compactMap(\.drawn))
    }

    fileprivate func upcomingFrame(after time: MediaTime, step: MediaTime) -> VideoFrame? {
        offersVideo.load(ordering: .relaxed) ? frames.upcomingFrame(after: time, step: step) : nil
    }
}
