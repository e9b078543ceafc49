// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads

/// Converts the picture that is due next on a thread of its own, so that whoever draws it only has to
/// upload it.
///
/// - Concurrency: render thread; it waits for no conversion. The conversion is on the thread
///   `ph-prepare`.
/// - Capacity: one picture, in a converter's memory, which the render thread may `claim` meanwhile.
/// - Ownership: a picture is kept until it has been converted. The thread ends with the preparer, which
///   does not wait for it.
final class PicturePreparer {
    private typealias Request = ConvertedPictureCache.Request

    private enum Phase {
        case idle, wanted, converting, ready
    }

    private struct State {
        var phase = Phase.idle
        var isEnding = false
        var request: Request?
        /// Until it is converted.
        var buffer: PixelBuffer?
    }

    private final class Work: @unchecked Sendable {
        // Unchecked: `memory` is the thread's own while `phase` is `wanted` or `converting`, of which the
        // thread ends the latter, and the render thread's while it is `idle` or `ready`.
        let state = Monitor(State())
        let memory: ConverterMemory

        init(_ memory: ConverterMemory) { self.memory = memory }

        func run() {
            while let (buffer, request) = next() {
                memory.convert(buffer, request)
                state.withLock { $0.phase = .ready }
            }
        }

        /// Waits for a picture; nil in the end.
        private func next() -> (PixelBuffer, Request)? {
            state.wait { state -> (PixelBuffer, Request)?? in
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

    /// - Parameter memory: what pictures are converted by, and into; the render thread's while it `claim`s it.
    init(_ memory: ConverterMemory) {
        let work = Work(memory)
        self.work = work
        _ = WorkerThread(name: "ph-prepare") { work.run() }
    }

    deinit { work.state.change { $0.isEnding = true } }

    /// Has a picture converted in place of the one that lies ready; does nothing while one is at work, or
    /// where it is that one.
    func prepare(_ buffer: PixelBuffer, _ request: ConvertedPictureCache.Request) {
        let isWanted = work.state.withLock { state in
            state.phase != .converting && (state.phase == .idle || state.request != request)
        }
        guard isWanted else { return }
        let former = work.state.change { state -> PixelBuffer? in
            // Meanwhile only the thread can have come, and have begun with the one before.
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

    /// Whether a picture lies ready.
    var isReady: Bool { work.state.withLock { $0.phase == .ready } }

    /// Whether a certain picture lies ready.
    func isReady(_ request: ConvertedPictureCache.Request) -> Bool {
        work.state.withLock { $0.phase == .ready && $0.request == request }
    }

    /// Takes converter and memory over until a picture is to be prepared again.
    ///
    /// - Parameter dropsReady: whether a picture that lies ready in it may be lost.
    /// - Returns: false where it is in use.
    func claim(dropsReady: Bool) -> Bool {
        work.state.withLock { state in
            if dropsReady, state.phase == .ready { state.phase = .idle }
            return state.phase == .idle
        }
    }

    /// Hands out a picture if it lies ready, whose memory is used again afterwards. One that has not been
    /// begun is not converted any more.
    ///
    /// - Returns: whether it was ready.
    func take(
        _ request: ConvertedPictureCache.Request, _ body: (UnsafeRawPointer) -> Void
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
