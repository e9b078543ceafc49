// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadBuffers
public import PlayheadPlayback
import PlayheadTime
import Synchronization

/// An output that delivers audio to a delegate, for analysis or processing.
///
///     let output = CaptureAudioDataOutput()
///     output.setDelegate(analyser, queue: ObservationQueue(queue))
///     try session.addOutput(output)
///
/// Every sample is delivered, in blocks of about ten milliseconds. If the delegate is slow, up to
/// ten seconds of audio wait for it. Further audio is dropped, and its time range is reported.
///
/// - Concurrency: any thread. The delegate is called on its queue, one call at a time.
/// - Ownership: the delegate is not retained.
/// - Corresponds to: `AVCaptureAudioDataOutput`.
public final class CaptureAudioDataOutput: CaptureOutput, @unchecked Sendable {
    // Unchecked as its superclass is; the state is under a lock.

    private enum Event {
        case audio(AudioBuffer, CaptureConnection)
        case drop(MediaTimeRange, CaptureConnection)
    }

    private struct State {
        weak var delegate: (any CaptureAudioDataOutputDelegate)?
        var queue = ObservationQueue.background
        /// The events that have not been reported to the delegate yet.
        var events: [Event] = []
        /// A Boolean value that indicates whether a job that calls the delegate is in the
        /// delegate's queue.
        var isScheduled = false
        /// The duration of the audio in `events`.
        var waiting = MediaTime.zero
    }

    private let state = Mutex(State())
    private static let maximumWaiting = MediaTime(value: 10, timescale: 1)

    /// Creates an output without a delegate.
    public override init() { super.init() }

    /// Sets the delegate, which is not retained, and the serial queue on which it is called.
    ///
    /// - Corresponds to: `setSampleBufferDelegate(_:queue:)`.
    public func setDelegate(
        _ delegate: (any CaptureAudioDataOutputDelegate)?, queue: ObservationQueue = .background
    ) {
        state.withLock {
            $0.delegate = delegate
            $0.queue = queue
        }
    }

    // MARK: - Interface of the session

    package override var acceptedMediaTypes: Set<MediaType> { [.audio] }

    override func receive(_ audio: AudioBuffer, from connection: CaptureConnection) {
        let queue = state.withLock { state -> ObservationQueue? in
            guard state.delegate != nil else { return nil }
            if state.waiting < Self.maximumWaiting {
                state.events.append(.audio(audio, connection))
                state.waiting += audio.duration
            } else if case .drop(let range, _)? = state.events.last {
                state.events[state.events.count - 1] = .drop(
                    MediaTimeRange(start: range.start, end: audio.endTime), connection)
            } else {
                state.events.append(
                    .drop(
                        MediaTimeRange(start: audio.presentationTime, end: audio.endTime),
                        connection))
            }
            if state.isScheduled { return nil }
            state.isScheduled = true
            return state.queue
        }
        queue?.async { [weak self] in self?.deliver() }
    }

    /// Calls the delegate, on its queue, for all waiting events.
    private func deliver() {
        while let (event, delegate) = next() {
            switch event {
            case .audio(let audio, let connection):
                delegate?.captureOutput(self, didOutput: audio, from: connection)
            case .drop(let range, let connection):
                delegate?.captureOutput(self, didDropAudioIn: range, from: connection)
            }
        }
    }

    private func next() -> (Event, (any CaptureAudioDataOutputDelegate)?)? {
        state.withLock { state in
            guard !state.events.isEmpty else {
                state.isScheduled = false
                return nil
            }
            let event = state.events.removeFirst()
            if case .audio(let audio, _) = event { state.waiting -= audio.duration }
            return (event, state.delegate)
        }
    }
}
