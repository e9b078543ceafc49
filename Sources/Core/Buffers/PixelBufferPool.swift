// SPDX-License-Identifier: Apache-2.0

/// A source of memory for decoded frames.
///
/// A consumer supplies a pool to have frames decoded into its own memory, such as memory mapped for
/// OpenGL, without a copy. Without a pool, or if the pool has none available, decoders use plain
/// memory.
///
/// The decoder arranges the planes in one block, each plane and each row at a multiple of
/// `PixelBuffer.alignment` bytes, with the padding that the codec needs around and after them. In a
/// cropped frame the planes begin inside the block.
///
/// - Concurrency: called on threads of decoders, several at a time. It must not wait: a pool
///   without available memory returns nil.
/// - Corresponds to: `CVPixelBufferPool`; `AVCodecContext.get_buffer2`.
public protocol PixelBufferPool: AnyObject, Sendable {
    /// Returns memory for a frame.
    ///
    /// - Parameter byteCount: The number of bytes needed; the block may be larger. It is usually
    ///   the same for all frames of a stream.
    /// - Returns: nil if none is available: the decoder then uses plain memory.
    func makeMemory(byteCount: Int) -> (any PixelBufferMemory)?
}
