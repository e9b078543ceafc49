// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads

/// A thread that converts the next frame ahead of time, so that the render thread only uploads it.
///
/// - Concurrency: render thread; it waits for no conversion. The conversion is on the thread
///   `ph-prepare`.
/// - Capacity: one frame, in a converter's memory, which the render thread may `claim` meanwhile.
/// - Ownership: a frame is held until it was converted. The thread ends with the preparer, which
///   does not wait for it.
final class PicturePreparer {
    private enum Phase {
        case idle, wanted, converting, ready
    }

    private struct State {
        var phase = Phase.idle
        var isEnding = false
        var request: ConvertedPictureRequest?
        /// The frame, until it is converted.
        var buffer: PixelBuffer?
    }

    private final class Work: @unchecked Sendable {
        // Unchecked: `memory` belongs to the thread while `phase` is `wanted` or `converting`, the
        // latter of which only the thread ends, and to the render thread while it is `idle` or
        // `ready`.
        let state = Monitor(State())
        let memory: ConverterMemory

        init(_ memory: ConverterMemory) { self.memory = memory }

        func run() {
            while let (buffer, request) = next() {
                memory.convert(buffer, request)
                state.withLock { $0.phase = .ready }
            }
        }

        /// Waits for a frame; nil at the end.
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
    /// - Parameter memory: the converter and its memory, which the render thread may use while it
    ///   has claimed them.
    init(_ memory: ConverterMemory) {
        let work = Work(memory)
        self.work = work
        _ = WorkerThread(name: "ph-prepare") { work.run() }
    }

    deinit { work.state.change { $0.isEnding = true } }

    /// Converts a frame in place of the prepared one. Does nothing while a conversion is running,
    /// or if the frame is already prepared.
    func prepare(_ buffer: PixelBuffer, _ request: ConvertedPictureRequest) {
        let isWanted = work.state.withLock { state in
            state.phase != .converting && (state.phase == .idle || state.request != request)
        }
        guard isWanted else { return }
        let former = work.state.change { state -> PixelBuffer? in
            // Meanwhile only the thread can have changed the phase, by starting the previous
            // conversion.
            guard state.phase != .converting else { return nil }
            let former = state.buffer
            state.phase = .wanted
            state.buffer = buffer
            state.request = request
            return former
        }
        // Its memory goes back to its decoder with no lock held.
        withExtendedLifetime(former) {}
    }

    /// A Boolean value that indicates whether a frame is prepared.
    var isReady: Bool { work.state.withLock { $0.phase == .ready } }

    /// Returns whether a given frame is prepared.
    func isReady(_ request: ConvertedPictureRequest) -> Bool {
        work.state.withLock { $0.phase == .ready && $0.request == request }
    }

    /// Takes over converter and memory until a frame is to be prepared again.
    ///
    /// - Parameter dropsReady: true if a prepared frame may be lost.
    /// - Returns: false if they are in use.
    func claim(dropsReady: Bool) -> Bool {
        work.state.withLock { state in
            if dropsReady, state.phase == .ready { state.phase = .idle }
            return state.phase == .idle
        }
    }

    /// Calls the body with a frame if it is prepared; its memory is reused afterwards. A conversion
    /// that has not begun is cancelled.
    ///
    /// - Returns: true if it was prepared.
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
