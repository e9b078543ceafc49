// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadUI

/// Reads and decodes frames on a thread of its own, a few ahead of the one that renders.
///
/// - Concurrency: one thread takes frames; the reader is used by the other alone.
final class FrameReadAhead: @unchecked Sendable {
    // Unchecked: `output` is used by the thread that reads until it has ended, and by the one that
    // takes frames after that.

    private struct State {
        var frames: [VideoFrame] = []
        var byteCount = 0
        var end: Result<Void, MediaError>?
        var isCancelled = false
    }

    private let output: AssetReaderTrackOutput<VideoFrame>
    private let state = Monitor(State())

    /// The maximum number of frames that wait, and of their bytes.
    private static let maximumCount = 3
    private static let maximumBytes = 256 << 20

    init(_ output: AssetReaderTrackOutput<VideoFrame>) {
        self.output = output
        _ = WorkerThread(name: "ph-read") { self.run() }
    }

    private func run() {
        while true {
            let result: Result<VideoFrame?, MediaError>
            do throws(MediaError) {
                result = .success(try output.copyNextSampleBuffer())
            } catch {
                result = .failure(error)
            }
            let isOver = state.change { state in
                switch result {
                case .success(let frame?):
                    state.frames.append(frame)
                    state.byteCount += frame.pixelBuffer.byteCount
                    return state.isCancelled
                case .success(nil): state.end = .success(())
                case .failure(let error): state.end = .failure(error)
                }
                return true
            }
            if isOver { return }
            let isCancelled = state.wait { state -> Bool? in
                if state.isCancelled { return true }
                let isFull =
                    state.frames.count >= Self.maximumCount
                    || state.byteCount >= Self.maximumBytes
                return isFull ? nil : false
            }
            if isCancelled { return }
        }
    }

    /// Returns the next frame, or nil after the last one. Waits for it.
    func next() throws(MediaError) -> VideoFrame? {
        let result = state.wait { state -> Result<VideoFrame?, MediaError>? in
            if !state.frames.isEmpty {
                let frame = state.frames.removeFirst()
                state.byteCount -= frame.pixelBuffer.byteCount
                return .success(frame)
            }
            return state.end.map { end in end.map { nil } }
        }
        return try result.get()
    }

    /// The number of parts that could not be decoded, and the last error; nil while the thread
    /// reads.
    var damage: (count: Int, last: MediaError?)? {
        guard state.withLock({ $0.end != nil }) else { return nil }
        return (output.decodeErrorCount, output.lastDecodeError)
    }

    /// Ends reading.
    func cancel() { state.change { $0.isCancelled = true } }
}
