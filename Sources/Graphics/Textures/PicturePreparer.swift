// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads

/// A thread that converts the next frame ahead of time, so that the render thread only has to
/// upload it.
///
/// - Concurrency: render thread, which never waits for a conversion. Conversions run on the thread
///   `ph-prepare`.
/// - Capacity: one frame, in the memory of a converter. The render thread may `claim` this memory
///   while no frame is being prepared. Otherwise it can use the spare converter, which the thread
///   makes in advance if requested, so that the render thread allocates nothing.
/// - Ownership: a frame is held until it is converted. Releasing the preparer ends the thread, but
///   does not wait until it has ended.
final class PicturePreparer {
    private enum Phase {
        case idle, wanted, converting, ready
    }

    private struct State {
        var phase = Phase.idle
        var isEnding = false
        var request: ConvertedPictureRequest?
        /// The frame; nil once it is converted.
        var buffer: PixelBuffer?
        /// The converter for `takeSpare`.
        var spare: ConverterMemory?
    }

    private final class Work: @unchecked Sendable {
        // Unchecked: `memory` belongs to the thread while `phase` is `wanted` or `converting`, and
        // to the render thread while it is `idle` or `ready`. Only the thread ends `converting`.
        let state = Monitor(State())
        let memory: ConverterMemory
        private let makeSpare: (@Sendable () -> ConverterMemory)?

        init(_ memory: ConverterMemory, makeSpare: (@Sendable () -> ConverterMemory)?) {
            self.memory = memory
            self.makeSpare = makeSpare
        }

        func run() {
            /// The last layout, and the one for which the spare converter has converted a frame.
            var last: ConvertedPictureRequest?
            var spareLayout: ConvertedPictureRequest?
            while let (buffer, request) = next() {
                memory.convert(buffer, request)
                state.withLock { $0.phase = .ready }
                var layout = request
                layout.identifier = 0
                // The first conversion of a layout allocates. If several videos take turns, no
                // layout stays.
                if let makeSpare, layout == last, layout != spareLayout {
                    let spare = makeSpare()
                    spare.convert(buffer, request)
                    spareLayout = layout
                    let former = state.withLock { state in
                        defer { state.spare = spare }
                        return state.spare
                    }
                    withExtendedLifetime(former) {}
                }
                last = layout
            }
        }

        /// Waits for a frame. Returns nil if the thread has to end.
        private func next() -> (PixelBuffer, ConvertedPictureRequest)? {
            state.wait { state -> (PixelBuffer, ConvertedPictureRequest)?? in
                if state.isEnding { return .some(nil) }
                guard state.phase == .wanted, let buffer = state.buffer, let request = state.request
                else { return nil }
                state.phase = .converting
                state.buffer = nil
                return (buffer, request)
            }
        }
    }

    private let work: Work

    /// Creates a preparer.
    ///
    /// - Parameters:
    ///   - memory: the converter and its memory. The render thread may use them while it has
    ///     claimed them.
    ///   - makeSpare: makes a spare converter, on the thread; nil for none.
    init(_ memory: ConverterMemory, makeSpare: (@Sendable () -> ConverterMemory)? = nil) {
        let work = Work(memory, makeSpare: makeSpare)
        self.work = work
        _ = WorkerThread(name: "ph-prepare") { work.run() }
    }

    deinit { work.state.change { $0.isEnding = true } }

    /// Converts a frame, which replaces the prepared frame. Does nothing while a conversion is
    /// running, or if the frame is already prepared.
    func prepare(_ buffer: PixelBuffer, _ request: ConvertedPictureRequest) {
        let isWanted = work.state.withLock { state in
            state.phase != .converting && (state.phase == .idle || state.request != request)
        }
        guard isWanted else { return }
        let former = work.state.change { state -> PixelBuffer? in
            // In the meantime, only the thread can have changed the phase, by starting the previous
            // conversion.
            guard state.phase != .converting else { return nil }
            let former = state.buffer
            state.phase = .wanted
            state.buffer = buffer
            state.request = request
            return former
        }
        // The former frame is released here, without the lock, because its memory returns to its
        // decoder.
        withExtendedLifetime(former) {}
    }

    /// A Boolean value that indicates whether a frame is prepared.
    var isReady: Bool { work.state.withLock { $0.phase == .ready } }

    /// Returns whether a given frame is prepared.
    func isReady(_ request: ConvertedPictureRequest) -> Bool {
        work.state.withLock { $0.phase == .ready && $0.request == request }
    }

    /// Claims the converter and its memory, until the next frame is to be prepared.
    ///
    /// - Parameter dropsReady: true if a prepared frame may be discarded.
    /// - Returns: false if the converter is in use.
    func claim(dropsReady: Bool) -> Bool {
        work.state.withLock { state in
            if dropsReady, state.phase == .ready { state.phase = .idle }
            return state.phase == .idle
        }
    }

    /// Returns the spare converter if the thread has made a new one. The render thread owns it from
    /// then on.
    func takeSpare() -> ConverterMemory? {
        work.state.withLock { state in
            defer { state.spare = nil }
            return state.spare
        }
    }

    /// If the requested frame is prepared, calls the body with its pixels, whose memory is reused
    /// afterwards. A conversion that has not started is cancelled.
    ///
    /// - Returns: true if the frame was prepared.
    func take(
        _ request: ConvertedPictureRequest, _ body: (UnsafeRawPointer) -> Void
    ) -> Bool {
        let (isReady, unused) = work.state.withLock { state -> (Bool, PixelBuffer?) in
            guard state.request == request else { return (false, nil) }
            guard state.phase == .wanted else { return (state.phase == .ready, nil) }
            defer { state.buffer = nil }
            state.phase = .idle
            return (false, state.buffer)
        }
        withExtendedLifetime(unused) {}
        guard isReady else { return false }
        work.memory.read(body)
        work.state.withLock { $0.phase = .idle }
        return true
    }
}
