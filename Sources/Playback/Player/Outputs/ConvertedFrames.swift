// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads

/// The converted frames of an output: the frame for the current time, and the frames that are due
/// next. A thread converts them before they are due, because the caller of an output has no time
/// for that.
///
/// - Concurrency: any thread. Only `convert` waits.
/// - Ownership: the thread ends after `close()`.
final class ConvertedFrames: Sendable {
    /// The number of frames that are converted ahead, including the visible one.
    static let limit = 4

    private struct State {
        var wanted: [PixelBuffer] = []
        /// The results, with the identifiers of the frames that were converted.
        var results: [(source: UInt64, buffer: PixelBuffer)] = []
        /// The identifiers of the frames that threads are converting.
        var inProgress: Set<UInt64> = []
        var hasThread = false
        var isClosed = false

        func result(of source: UInt64) -> PixelBuffer? {
            results.first { $0.source == source }?.buffer
        }

        var next: PixelBuffer? {
            wanted.first {
                result(of: $0.identifier) == nil && !inProgress.contains($0.identifier)
            }
        }

        mutating func add(_ buffer: PixelBuffer, of source: UInt64) {
            guard result(of: source) == nil, !isClosed else { return }
            if results.count >= ConvertedFrames.limit,
                let index = results.firstIndex(where: { entry in
                    !wanted.contains { $0.identifier == entry.source }
                })
            {
                results.remove(at: index)
            }
            results.append((source, buffer))
        }
    }

    private let state = Monitor(State())
    private let converter: any FrameConverter
    /// The handler that is called on the thread after each conversion.
    private let didConvert = LockedHandler<Void>()

    init(_ converter: any FrameConverter) { self.converter = converter }

    func onConversion(_ handler: @escaping @Sendable () -> Void) {
        didConvert.set { _ in handler() }
    }

    /// Returns the result for a frame; nil if the frame has not been converted yet.
    func result(of buffer: PixelBuffer) -> PixelBuffer? {
        state.withLock { $0.result(of: buffer.identifier) }
    }

    /// Requests the conversion of frames, in the order in which they are due. Earlier requests are
    /// dropped.
    ///
    /// - Parameters:
    ///   - isAhead: A Boolean value that indicates whether the frames are prepared ahead of
    ///     requests by callers. If the list contains the frame that a caller requested last, the
    ///     frames before that frame are left out, because the caller no longer needs them. They may
    ///     still be due, because callers request frames for a future vsync.
    ///   - frames: Returns the frames, or nil to change nothing. It is called under the lock, so
    ///     that an older list cannot replace a newer one and remove results that are still needed.
    func request(isAhead: Bool = false, _ frames: () -> [PixelBuffer]?) {
        let starts = state.change { state -> Bool in
            guard !state.isClosed, var frames = frames() else { return false }
            if isAhead, let first = state.wanted.first,
                let index = frames.firstIndex(where: { $0.identifier == first.identifier })
            {
                frames.removeFirst(index)
            }
            state.wanted = frames
            state.results.removeAll { entry in
                !frames.contains { $0.identifier == entry.source }
            }
            guard !state.hasThread, state.next != nil else { return false }
            state.hasThread = true
            return true
        }
        if starts { _ = WorkerThread(name: "ph-output") { [self] in run() } }
    }

    /// Returns the result for a frame. The frame is converted on the calling thread, unless another
    /// thread is converting it.
    @discardableResult
    func convert(_ buffer: PixelBuffer) -> PixelBuffer {
        let source = buffer.identifier
        let known = state.wait { state -> PixelBuffer?? in
            if let result = state.result(of: source) { return .some(result) }
            return state.inProgress.insert(source).inserted ? .some(nil) : nil
        }
        return known ?? finish(buffer)
    }

    /// Converts a frame that the calling thread has marked as in progress.
    private func finish(_ buffer: PixelBuffer) -> PixelBuffer {
        let result = converter.convert(buffer)
        state.change { state in
            state.inProgress.remove(buffer.identifier)
            state.add(result, of: buffer.identifier)
        }
        return result
    }

    func close() {
        state.change { state in
            state.isClosed = true
            state.wanted = []
            state.results = []
        }
    }

    private func run() {
        while let buffer = state.wait(until: { state -> PixelBuffer?? in
            guard !state.isClosed else { return .some(nil) }
            guard let next = state.next else { return nil }
            // The frame is marked at once, so that no other thread converts it before this thread
            // begins.
            state.inProgress.insert(next.identifier)
            return .some(next)
        }) {
            _ = finish(buffer)
            didConvert(())
        }
    }
}
