// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Synchronization

/// Draws the frames of a video composition at the times of the packets. The composition can be
/// exchanged in between.
///
/// - Concurrency: one thread at a time, as the protocol requires; the methods of
///   `ExchangeableVideoDecoder` on any thread.
final class ComposedVideoDecoder: ExchangeableVideoDecoder, @unchecked Sendable {
    // Unchecked: used by one thread at a time, or with the lock held.

    /// No frame depends on another, so all are skipped.
    var skipsNonReferenceFrames = false
    private let live: LiveVideoComposition
    private let lock = Mutex(())
    private let source: VideoCompositionSource
    private let painter: VideoCompositionPainter
    /// The edition of the composition that is drawn, and the last one that was looked at, which
    /// may have an error.
    private var edition: Int
    private var seenEdition: Int
    /// The editions of the latest composed frames. Without compositing, several of them may be the
    /// same frame of a track, so the time is needed too.
    private var drawn: [(identifier: UInt64, time: MediaTime, edition: Int)] = []
    private var pictures: [VideoFrame] = []
    /// The last error of a frame of the edition.
    private var failure: VideoCompositionError?
    /// A Boolean value that indicates whether no packet was decoded since the last flush.
    private var isFirst = true

    /// The number of frames whose edition is known: more than a queue of frames holds.
    private static let drawnLimit = 64

    /// - Parameters:
    ///   - source: The source, which no one else uses.
    ///   - edition: The edition of its composition.
    init(
        _ source: VideoCompositionSource, live: LiveVideoComposition, edition: Int,
        engine: any VideoCompositionEngine, cancellation: Cancellation
    ) {
        self.source = source
        self.live = live
        self.edition = edition
        seenEdition = edition
        painter = VideoCompositionPainter(
            source.composition, engine: engine, cancellation: cancellation)
    }

    func send(_ packet: MediaPacket?) throws(MediaError) {
        guard let packet, let payload = packet.payload as? ComposedDemuxer.Payload else { return }
        try lock.withLock { _ throws(MediaError) in
            pictures = []
            guard !skipsNonReferenceFrames else { return }
            try update()
            if payload.edition == edition {
                pictures = [try picture(at: payload.time, until: payload.end)]
            } else {
                // Times of another edition's packets are not those of the frames. After a seek,
                // the frame that is shown at the first packet may begin before it.
                pictures = try drawFrames(
                    in: MediaTimeRange(start: payload.time, end: payload.end),
                    includesShown: isFirst)
            }
            isFirst = false
        }
    }

    func receive() throws(MediaError) -> VideoFrame? {
        lock.withLock { _ in pictures.isEmpty ? nil : pictures.removeFirst() }
    }

    func flush() {
        lock.withLock { _ in
            pictures = []
            isFirst = true
        }
    }

    // MARK: - Exchange

    func isOutdated(_ frame: VideoFrame) -> Bool {
        lock.withLock { _ in
            // An exchange that was not looked at may concern any frame.
            guard live.edition == seenEdition else { return true }
            let known = drawn.last {
                $0.identifier == frame.pixelBuffer.identifier
                    && ($0.time - frame.presentationTime).magnitude <= VideoFrame.timeTolerance
            }
            return known?.edition != edition
        }
    }

    func frames(
        in range: MediaTimeRange, includesShown: Bool
    ) throws(MediaError) -> [VideoFrame] {
        try lock.withLock { _ throws(MediaError) in
            try update()
            return try drawFrames(in: range, includesShown: includesShown)
        }
    }

    /// Takes the latest composition.
    ///
    /// - Throws: The first error in it, once. The earlier composition remains.
    private func update() throws(MediaError) {
        guard live.edition != seenEdition else { return }
        let (composition, edition) = live.current
        seenEdition = edition
        let next = composition ?? .unchanged(source.description)
        do throws(VideoCompositionError) {
            let former = source.composition
            try source.exchange(next)
            do throws(VideoCompositionError) {
                try painter.exchange(next)
            } catch {
                try source.exchange(former)
                throw error
            }
        } catch {
            throw error.mediaError(subject: source.subject)
        }
        self.edition = edition
        failure = nil
    }

    /// Returns the error of a frame: the last one if this one differs from it only in its time. A
    /// compositor may fail at every frame for the same reason.
    private func note(_ error: VideoCompositionError) -> VideoCompositionError {
        var other = error
        other.time = failure?.time ?? error.time
        if let failure, other == failure { return failure }
        failure = error
        return error
    }

    private func drawFrames(
        in range: MediaTimeRange, includesShown: Bool
    ) throws(MediaError) -> [VideoFrame] {
        do throws(VideoCompositionError) {
            let tolerance = VideoFrame.timeTolerance
            var time = try source.time(at: range.start)
            if !includesShown, time < range.start - tolerance {
                time = try source.nextTime(after: time)
            }
            var frames: [VideoFrame] = []
            while time < range.end - tolerance || (includesShown && frames.isEmpty) {
                let next = try source.nextTime(after: time)
                let end = min(next, source.description.shownRange.end)
                do throws(MediaError) {
                    frames.append(try picture(at: time, until: end))
                } catch {
                    guard frames.isEmpty else { return frames }
                    throw VideoCompositionError(error)
                }
                time = next
            }
            return frames
        } catch {
            throw error.mediaError(subject: source.subject)
        }
    }

    private func picture(at time: MediaTime, until end: MediaTime) throws(MediaError) -> VideoFrame
    {
        do throws(VideoCompositionError) {
            let frame = try source.frame(at: time, until: end)
            let buffer = try painter.picture(of: frame)
            if drawn.count == Self.drawnLimit { drawn.removeFirst() }
            drawn.append((buffer.identifier, time, edition))
            return VideoFrame(
                pixelBuffer: buffer, presentationTime: time, duration: frame.duration,
                isKeyframe: true)
        } catch {
            throw note(error).mediaError(subject: source.subject)
        }
    }
}
