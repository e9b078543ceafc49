// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// An output that provides an item's frame for a time.
///
/// Before each vsync a renderer converts the coming vsync's host time to item time, checks whether
/// there is a frame for it that it has not taken yet, and takes it:
///
///     let time = output.itemTime(forHostTime: tick.targetTimestamp)
///     if output.hasNewPixelBuffer(forItemTime: time),
///         let (picture, displayTime) = output.copyPixelBuffer(forItemTime: time) { … }
///
/// Every output records on its own which frames were taken, so any number of them can be added to
/// one item, which decodes once for all. An output may be asked for times ahead of the playhead, as
/// far as frames have been decoded. Frames behind the playhead are discarded whether they were
/// taken or not; an output that falls behind gets the frame for the time that it is asked for.
///
/// - Concurrency: any thread, one caller at a time. Never waits for a decoder.
/// - Ownership: an item keeps its outputs, and an output keeps its item's frames, until it is
///   removed.
/// - Corresponds to: `AVPlayerItemVideoOutput`.
public final class PlayerItemVideoOutput: PixelBufferSource, ItemOutput {
    private struct State {
        /// Strong, because a weak reference costs more than everything else here; a pipeline does
        /// not keep its outputs.
        var pipeline: ItemPipeline?
        /// The identifier of the last taken frame.
        var taken: UInt64?
        /// The item time of the last requested host time, and the last frame that was taken for
        /// such a time.
        var vsyncTime = MediaTime.invalid
        var drawn: UInt64?
        var suppressesPlayerRendering = false
        /// The last frame that was taken, if frames are converted: it stays until the next one is.
        var converted: (buffer: PixelBuffer, time: MediaTime)?
    }

    private let state = Mutex(State())
    let notification = Mutex(Notification())
    /// The conversion of frames; nil if they are handed out as they were decoded.
    private let conversion: ConvertedFrames?

    /// Creates an output that is added to no item. Its frames are as they were decoded.
    public init() { conversion = nil }

    /// Creates an output whose frames are converted, each once, on a thread of the output, before
    /// they are due. A frame whose conversion takes longer is shown late.
    package init(converter: any FrameConverter) {
        let conversion = ConvertedFrames(converter)
        self.conversion = conversion
        conversion.onConversion { [weak self] in self?.fulfilRequests() }
    }

    deinit { conversion?.close() }

    /// Returns the item time when the host clock reads `hostTime`.
    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        guard let pipeline else { return .invalid }
        let time = pipeline.timebase.time(atHostTime: hostTime)
        state.withLock { $0.vsyncTime = time }
        return time
    }

    /// Returns whether the frame for `itemTime` differs from the last one that was taken.
    ///
    /// If a pause has stopped the timeline before a frame that was taken for a coming vsync, that
    /// is, for a time from `itemTime(forHostTime:)`, then that frame is the one for the time of the
    /// pause until the playhead moves, for this and other outputs: the video does not step back. It
    /// does not step back either if playback continues or becomes slower.
    public func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        let (pipeline, taken, drawn) = state.withLock { ($0.pipeline, $0.taken, $0.drawn) }
        let frame = pipeline?.frame(at: itemTime, taking: false, viewer: drawn)
        guard let frame, frame.pixelBuffer.identifier != taken else { return false }
        return conversion == nil || converted(frame, at: itemTime) != nil
    }

    /// Returns the frame for `itemTime` and the time at which its display begins, and marks it as
    /// taken.
    public func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? {
        let (pipeline, drawn) = state.withLock { ($0.pipeline, $0.drawn) }
        guard let frame = pipeline?.frame(at: itemTime, taking: true, viewer: drawn) else {
            return nil
        }
        var buffer = frame.pixelBuffer
        if conversion != nil {
            guard let converted = converted(frame, at: itemTime) else {
                return state.withLock { $0.converted.map { ($0.buffer, $0.time) } }
            }
            buffer = converted
        }
        state.withLock { state in
            state.taken = frame.pixelBuffer.identifier
            if itemTime == state.vsyncTime { state.drawn = state.taken }
            if conversion != nil { state.converted = (buffer, frame.presentationTime) }
        }
        return (buffer, frame.presentationTime)
    }

    /// Returns the conversion of the frame for a time, and requests it and those after it.
    private func converted(_ frame: VideoFrame, at time: MediaTime) -> PixelBuffer? {
        guard let conversion, let pipeline else { return nil }
        let later = pipeline.frames.following(time, count: ConvertedFrames.limit)
        conversion.request(
            [frame.pixelBuffer] + later.filter { $0.identifier != frame.pixelBuffer.identifier })
        return conversion.result(of: frame.pixelBuffer)
    }

    /// Converts the frame at the playhead and those after it, if frames are converted.
    func prepareFrames() {
        guard conversion != nil, let pipeline else { return }
        let time = pipeline.timebase.time
        guard let frame = pipeline.frame(at: time, taking: false, viewer: drawn) else { return }
        _ = converted(frame, at: time)
    }

    /// Returns the frame after the one for `itemTime` in the direction of playback, if it has been
    /// decoded; nil at the end. Does not mark it as taken.
    public func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer? {
        guard itemTime.isNumeric, step.isNumeric, let pipeline else { return nil }
        let buffer = pipeline.upcomingFrame(after: itemTime, step: step)?.pixelBuffer
        guard let conversion else { return buffer }
        return buffer.flatMap(conversion.result)
    }

    /// Returns whether the frame for `itemTime` is shown only because the next one, which is due,
    /// has not been decoded yet.
    package func isAwaitingPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        guard let pipeline, itemTime.isNumeric else { return false }
        return pipeline.frames.isStarved(at: itemTime)
    }

    /// Waits until the frame for `itemTime` is decided, and returns the time of the next one: nil
    /// at the end of the item, or if no frame arrives within `seconds`.
    ///
    /// For offline rendering, which moves a `ManualClock` from frame to frame. Do not call it in a
    /// display link's callback: it is the only method here that waits.
    public func waitForPixelBuffer(after itemTime: MediaTime, seconds: Double = 10) -> MediaTime? {
        guard let pipeline else { return nil }
        // A century at most; NaN does not wait.
        let nanoseconds = Int64(min(max(seconds.isNaN ? 0 : seconds, 0), 3e9) * 1_000_000_000)
        let next = pipeline.frames.waitForFrame(
            after: itemTime, playhead: pipeline.timebase.time, nanoseconds: nanoseconds)
        if let conversion,
            let frame = pipeline.frame(at: itemTime, taking: false, viewer: drawn)
        {
            conversion.convert(frame.pixelBuffer)
        }
        return next
    }

    /// A Boolean value that indicates whether the player should not show the item itself, because
    /// its frames are shown through this output. False by default; see
    /// `PlayerItem.suppressesPlayerRendering`.
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

    /// The pipeline of the item that the output is added to.
    var pipeline: ItemPipeline? { state.withLock { $0.pipeline } }

    /// The identifier of the last frame that was taken for a time from `itemTime(forHostTime:)`.
    var drawn: UInt64? { state.withLock { $0.drawn } }

    /// Forgets which frames were taken, because something else has been shown since.
    func forgetTaken() { state.withLock { ($0.taken, $0.drawn) = (nil, nil) } }

    /// Called by the item that the output is added to.
    func attach(to pipeline: ItemPipeline) {
        let old = state.withLock { state -> ItemPipeline? in
            guard state.pipeline !== pipeline else { return nil }
            defer {
                state.pipeline = pipeline
                (state.taken, state.drawn) = (nil, nil)
                state.converted = nil
            }
            return state.pipeline
        }
        old?.outputs.remove(self)
        pipeline.outputs.add(self)
        old?.noteSuppression()
        pipeline.noteSuppression()
        reconsider()
    }

    /// Called by the item that the output is removed from; has no effect if it belongs to another
    /// by now.
    func detach(from pipeline: ItemPipeline) {
        pipeline.outputs.remove(self)
        state.withLock { state in
            guard state.pipeline === pipeline else { return }
            state.pipeline = nil
            (state.taken, state.drawn) = (nil, nil)
            state.converted = nil
        }
        conversion?.request([])
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
