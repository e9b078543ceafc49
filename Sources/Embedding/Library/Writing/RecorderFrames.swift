// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// The memory of recorded frames: a few blocks, which the host fills. A filled block waits in a
/// queue, is encoded, and becomes free again.
///
/// - Concurrency: any thread, under a short lock. `claim` and `commit` do not allocate.
/// - Ownership: a frame retains the block that it is made from.
final class RecorderFrames: @unchecked Sendable {
    // Unchecked: a block is written by the thread that claimed it, and read after `commit`.

    private struct State {
        var free: [Int]
        var waiting: [(block: Int, time: Int64, isTopFirst: Bool)] = []
        var isEnded = false
        var isCancelled = false
    }

    let width: Int
    let height: Int
    private let blocks: [UnsafeMutableRawBufferPointer]
    private let state: Monitor<State>

    /// The layout of a block. The fourth byte is the alpha of the host's framebuffer, which is not
    /// recorded.
    private static let format = PixelFormat(
        name: "rgb0", model: .rgb,
        components: (0..<3).map { PixelFormat.Component(plane: 0, step: 4, offset: $0, depth: 8) })

    init(width: Int, height: Int, count: Int) {
        self.width = width
        self.height = height
        blocks = (0..<count).map { _ in
            let block = UnsafeMutableRawBufferPointer.allocate(
                byteCount: width * height * 4, alignment: PixelBuffer.alignment)
            // This maps the pages before the first frame needs them.
            block.initializeMemory(as: UInt8.self, repeating: 0)
            return block
        }
        var state = State(free: Array(0..<count))
        state.waiting.reserveCapacity(count)
        self.state = Monitor(state)
    }

    deinit { for block in blocks { block.deallocate() } }

    // MARK: - The host

    /// Takes a free block; nil if all are waiting or being encoded.
    func claim() -> Int? { state.withLock { $0.free.popLast() } }

    /// The memory of a claimed block.
    func memory(_ block: Int) -> UnsafeMutableRawBufferPointer { blocks[block] }

    /// Queues a block that was filled.
    func commit(_ block: Int, at time: Int64, isTopFirst: Bool) {
        state.change { $0.waiting.append((block, time, isTopFirst)) }
    }

    /// Frees a claimed block that is not needed.
    func release(_ block: Int) { state.change { $0.free.append(block) } }

    /// Declares that no frame follows.
    func end() { state.change { $0.isEnded = true } }

    /// Discards all frames.
    func cancel() { state.change { $0.isCancelled = true } }

    // MARK: - The recorder

    /// The result of waiting for a frame.
    enum Next {
        case frame(PixelBuffer, time: Int64)
        case pause
        case end
        case cancelled
    }

    /// Waits for the next frame, for at most a number of nanoseconds.
    func next(within nanoseconds: Int64) -> Next {
        let taken = state.wait(nanoseconds: nanoseconds) {
            state -> (block: Int, time: Int64, isTopFirst: Bool, isOver: Bool)? in
            if state.isCancelled { return (-1, 0, false, false) }
            if !state.waiting.isEmpty {
                let (block, time, isTopFirst) = state.waiting.removeFirst()
                return (block, time, isTopFirst, false)
            }
            return state.isEnded ? (-1, 0, false, true) : nil
        }
        guard let taken else { return .pause }
        guard taken.block >= 0, let base = blocks[taken.block].baseAddress else {
            return taken.isOver ? .end : .cancelled
        }
        let bytesPerRow = width * 4
        let plane = PixelBuffer.Plane(
            baseAddress: UnsafeRawPointer(base)
                + (taken.isTopFirst ? 0 : (height - 1) * bytesPerRow),
            bytesPerRow: taken.isTopFirst ? bytesPerRow : -bytesPerRow, width: width,
            height: height)
        let frame = PixelBuffer(
            format: Self.format, width: width, height: height, planes: [plane],
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: .rgb, range: .full, primaries: .bt709, transfer: .bt709)),
            owner: Lease(self, taken.block))
        return .frame(frame, time: taken.time)
    }

    /// Frees a block when the frame that was made from it is released.
    private final class Lease: Sendable {
        private let frames: RecorderFrames
        private let block: Int

        init(_ frames: RecorderFrames, _ block: Int) {
            self.frames = frames
            self.block = block
        }

        deinit { frames.release(block) }
    }
}
