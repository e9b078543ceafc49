// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// An output that provides the frames of an item by time.
///
/// Before each vsync, a renderer converts the host time of the next vsync to item time, checks
/// whether there is a frame for that time that it has not taken yet, and takes it:
///
///     let time = output.itemTime(forHostTime: tick.targetTimestamp)
///     if output.hasNewPixelBuffer(forItemTime: time),
///         let (frame, displayTime) = output.copyPixelBuffer(forItemTime: time) { … }
///
/// Each output has its own record of the frames that were taken, so any number of outputs can be
/// added to an item, which decodes once for all of them. Frames can be requested for times ahead of
/// the playhead, as far as they have been decoded. Frames behind the playhead are discarded, even
/// if they were not taken. A client that falls behind receives the frame for the time that it
/// requests.
///
/// - Concurrency: any thread, one caller at a time. It never waits for a decoder.
/// - Ownership: an item retains its outputs, and an output retains its item's frames, until the
///   output is removed.
/// - Corresponds to: `AVPlayerItemVideoOutput`.
public final class PlayerItemVideoOutput: PixelBufferSource, ItemOutput {
    private struct State {
        /// The pipeline of the item. The reference is strong, because a weak reference costs more
        /// than everything else here. A pipeline does not retain its outputs.
        var pipeline: ItemPipeline?
        /// The frames of the track that is shown; nil while it does not play.
        var frames: FrameQueue?
        /// The identifier of the last taken frame.
        var taken: UInt64?
        /// The item time that `itemTime(forHostTime:)` last returned, and the last frame that was
        /// taken for such a time.
        var vsyncTime = MediaTime.invalid
        var drawn: UInt64?
        var suppressesPlayerRendering = false
        /// If frames are converted: the last frame that was taken. It stays until the next frame
        /// has been converted.
        var converted: (buffer: PixelBuffer, time: MediaTime)?
    }

    private let state = Mutex(State())
    let notification = Mutex(Notification())
    /// The identifier of the video track whose frames the output provides; nil for the first
    /// enabled one.
    package let trackID: Int?
    /// The conversion of frames; nil if frames are provided as they were decoded.
    private let conversion: ConvertedFrames?

    /// Creates an output that does not belong to an item yet. Frames are provided as they were
    /// decoded.
    public init() { (conversion, trackID) = (nil, nil) }

    /// Creates an output for one of the video tracks of an item. Adding the output enables the
    /// track. If this happens during playback, the track joins the others as soon as it has been
    /// read.
    ///
    /// - Parameter trackID: The identifier of the track. There are no frames while the item does
    ///   not have this track, or while the track is disabled or cannot be decoded.
    package init(trackID: Int) { (conversion, self.trackID) = (nil, trackID) }

    /// Creates an output whose frames are converted. Each frame is converted once, on a thread of
    /// the output, before it is due. A frame that is not converted in time is shown late.
    package init(converter: any FrameConverter) {
        let conversion = ConvertedFrames(converter)
        self.conversion = conversion
        trackID = nil
        conversion.onConversion { [weak self] in self?.fulfilRequests() }
    }

    deinit { conversion?.close() }

    /// Returns the item time for the moment at which the host clock reads `hostTime`.
    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        guard let pipeline else { return .invalid }
        let time = pipeline.timebase.time(atHostTime: hostTime)
        state.withLock { $0.vsyncTime = time }
        return time
    }

    /// Returns whether the frame for `itemTime` differs from the last frame that was taken.
    ///
    /// If playback pauses just before a vsync for which a frame was already taken, with a time from
    /// `itemTime(forHostTime:)`, that frame remains the current one until the playhead moves, for
    /// this output and for others. The video therefore does not step back. Nor does it step back
    /// when playback continues or becomes slower.
    public func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        let (pipeline, frames, taken, drawn) = state.withLock {
            ($0.pipeline, $0.frames, $0.taken, $0.drawn)
        }
        let frame = pipeline?.frame(of: frames, at: itemTime, taking: false, viewer: drawn)
        guard let frame, frame.pixelBuffer.identifier != taken else { return false }
        return conversion == nil || converted(frame, at: itemTime) != nil
    }

    /// Returns the frame for `itemTime` and the time at which its display begins, and marks the
    /// frame as taken.
    public func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? {
        let (pipeline, frames, drawn) = state.withLock { ($0.pipeline, $0.frames, $0.drawn) }
        guard
            let frame = pipeline?.frame(of: frames, at: itemTime, taking: true, viewer: drawn)
        else { return nil }
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

    /// Returns the converted frame for a time, and requests the conversion of that frame and of the
    /// frames after it.
    private func converted(_ frame: VideoFrame, at time: MediaTime) -> PixelBuffer? {
        guard let conversion, let frames else { return nil }
        conversion.request { Self.buffers(from: frame, at: time, in: frames) }
        return conversion.result(of: frame.pixelBuffer)
    }

    private static func buffers(
        from frame: VideoFrame, at time: MediaTime, in frames: FrameQueue
    ) -> [PixelBuffer] {
        let later = frames.following(time, count: ConvertedFrames.limit)
        return [frame.pixelBuffer]
            + later.filter { $0.identifier != frame.pixelBuffer.identifier }
    }

    /// Requests the conversion of the frame at the playhead and the frames after it, ahead of their
    /// use. Does nothing if the output does not convert frames.
    func prepareFrames() {
        guard let conversion, let pipeline else { return }
        conversion.request(isAhead: true) {
            let time = pipeline.timebase.time
            guard let frames,
                let frame = pipeline.frame(of: frames, at: time, taking: false, viewer: drawn)
            else { return nil }
            return Self.buffers(from: frame, at: time, in: frames)
        }
    }

    /// Returns the frame that follows the frame for `itemTime` in the direction of playback, if it
    /// has been decoded; nil at the end. The frame is not marked as taken.
    public func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer? {
        guard itemTime.isNumeric, step.isNumeric, let frames else { return nil }
        let buffer = frames.upcomingFrame(after: itemTime, step: step)?.pixelBuffer
        guard let conversion else { return buffer }
        return buffer.flatMap(conversion.result)
    }

    /// Returns whether the frame for `itemTime` is shown only because the next frame, which is due,
    /// has not been decoded yet.
    package func isAwaitingPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        guard let frames, itemTime.isNumeric else { return false }
        return frames.isStarved(at: itemTime)
    }

    /// Waits until the frame for `itemTime` is known, and returns the time of the next frame.
    /// Returns nil at the end of the item, or if no frame arrives within `seconds`.
    ///
    /// It is for offline rendering, which moves a `ManualClock` from frame to frame. Do not call it
    /// in the callback of a display link, because it is the only method here that waits.
    public func waitForPixelBuffer(after itemTime: MediaTime, seconds: Double = 10) -> MediaTime? {
        let (pipeline, frames) = state.withLock { ($0.pipeline, $0.frames) }
        guard let pipeline, let frames else { return nil }
        // A century at most; NaN does not wait.
        let nanoseconds = Int64(min(max(seconds.isNaN ? 0 : seconds, 0), 3e9) * 1_000_000_000)
        let next = frames.waitForFrame(
            after: itemTime, playhead: pipeline.timebase.time, nanoseconds: nanoseconds)
        if let conversion,
            let frame = pipeline.frame(of: frames, at: itemTime, taking: false, viewer: drawn)
        {
            conversion.convert(frame.pixelBuffer)
        }
        return next
    }

    /// A Boolean value that indicates whether the player should not show the item itself, because
    /// this output shows its frames. The default is false; see
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

    /// The pipeline of the item to which the output was added.
    var pipeline: ItemPipeline? { state.withLock { $0.pipeline } }

    /// The frames of the track that is shown.
    var frames: FrameQueue? { state.withLock { $0.frames } }

    /// Called by the item to show another track, or no track.
    func show(_ frames: FrameQueue?) {
        state.withLock { if $0.pipeline != nil { $0.frames = frames } }
    }

    /// The identifier of the last frame that was taken for a time from `itemTime(forHostTime:)`.
    var drawn: UInt64? { state.withLock { $0.drawn } }

    /// Discards the record of taken frames, because something else has been shown since.
    func forgetTaken() { state.withLock { ($0.taken, $0.drawn) = (nil, nil) } }

    /// Attaches the output to a pipeline. The item to which the output is added calls this method.
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
        pipeline.route()
        if let trackID { pipeline.enableVideo([trackID]) }
        old?.noteSuppression()
        pipeline.noteSuppression()
        reconsider()
    }

    /// Detaches the output from a pipeline. The item from which the output is removed calls this
    /// method. The call has no effect if the output belongs to another item by now.
    func detach(from pipeline: ItemPipeline) {
        pipeline.outputs.remove(self)
        state.withLock { state in
            guard state.pipeline === pipeline else { return }
            (state.pipeline, state.frames) = (nil, nil)
            (state.taken, state.drawn) = (nil, nil)
            state.converted = nil
        }
        conversion?.request { [] }
        pipeline.noteSuppression()
    }
}

extension ItemPipeline {
    fileprivate func frame(
        of frames: FrameQueue?, at time: MediaTime, taking: Bool, viewer: UInt64?
    ) -> VideoFrame? {
        guard time.isNumeric, let frames else { return nil }
        return frames.frame(
            at: time, playhead: timebase.time, taking: taking, viewer: viewer,
            drawn: outputs.all.compactMap(\.drawn))
    }
}
