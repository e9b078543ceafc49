// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadUI

/// Reads and decodes frames on a separate thread, a few frames ahead of the thread that renders.
///
/// - Concurrency: one thread takes frames; only the other thread uses the reader.
final class FrameReadAhead: @unchecked Sendable {
    // Unchecked: what changes in `reader` and `output` is used by the creator before `start`, then
    // only by the reading thread until it has set `end` under the lock of `state`, and then by the
    // thread that takes frames.

    private struct State {
        var frames: [VideoFrame] = []
        var sparsePackets: [MediaPacket] = []
        var byteCount = 0
        var end: Result<Void, MediaError>?
        var isCancelled = false
    }

    private let reader: AssetReader
    private let output: AssetReaderTrackOutput<VideoFrame>
    private let state = Monitor(State())

    /// The maximum number of waiting frames, and their maximum total size in bytes.
    private static let maximumCount = 3
    private static let maximumBytes = 256 << 20

    init(_ output: AssetReaderTrackOutput<VideoFrame>, of reader: AssetReader) {
        self.output = output
        self.reader = reader
    }

    /// Begins to read.
    func start() {
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
            let sparsePackets = reader.takeSparsePackets()
            let isOver = state.change { state in
                state.sparsePackets += sparsePackets
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

    /// Waits for the next frame and returns it; nil after the last frame.
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

    /// Returns the packets of the reader's sparse tracks that were read since the last call.
    func takeSparsePackets() -> [MediaPacket] {
        state.withLock { state in
            defer { state.sparsePackets.removeAll() }
            return state.sparsePackets
        }
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
