// SPDX-License-Identifier: Apache-2.0

/// A block of memory for all planes of a frame, lent by a `PixelBufferPool`.
///
/// The consumer that supplied the pool finds the block in `PixelBuffer.memory`. The offset of a
/// plane in the block is the difference of their base addresses. Decoders predict frames from other
/// frames, so reading the block must be as fast as reading plain memory. Memory that is mapped only
/// for writing is usually too slow.
///
/// - Concurrency: any thread. A decoder writes the block until the pixel buffer exists; after that,
///   the block is only read. A decoder may still read the block after the last pixel buffer that
///   uses it is released.
/// - Ownership: releasing the last reference returns the block to its pool. This happens on any
///   thread, often on a decoder's thread, so `deinit` must not wait or call OpenGL. As long as
///   there is a reference, the bytes stay in place, even if the pool and the consumer are gone.
public protocol PixelBufferMemory: AnyObject, Sendable {
    /// The bytes of the block. The value is constant, and the first byte is at a multiple of
    /// `PixelBuffer.alignment`.
    var bytes: UnsafeMutableRawBufferPointer { get }
}
