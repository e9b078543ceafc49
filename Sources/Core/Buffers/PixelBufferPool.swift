// SPDX-License-Identifier: Apache-2.0

/// A source of memory for decoded frames.
///
/// A consumer supplies a pool so that decoders write frames directly into the consumer's memory,
/// such as memory mapped for OpenGL, and no copy is needed. If there is no pool, or the pool has no
/// memory available, decoders use plain memory.
///
/// The decoder arranges the planes in one block. Each plane and each row starts at a multiple of
/// `PixelBuffer.alignment` bytes, and the padding that the codec needs is around and after the
/// planes. If a frame is cropped, the planes begin inside the block.
///
/// - Concurrency: called on threads of decoders, several at a time. `makeMemory` must not wait: if
///   no memory is available, it returns nil.
/// - Corresponds to: `CVPixelBufferPool`; `AVCodecContext.get_buffer2`.
public protocol PixelBufferPool: AnyObject, Sendable {
    /// Returns memory for a frame.
    ///
    /// - Parameter byteCount: The number of bytes needed, which is usually the same for all frames
    ///   of a stream. The block may be larger.
    /// - Returns: The memory, or nil if none is available. The decoder then uses plain memory.
    func makeMemory(byteCount: Int) -> (any PixelBufferMemory)?
}
