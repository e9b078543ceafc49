// SPDX-License-Identifier: Apache-2.0

/// A block of memory for all planes of a frame, lent by a `PixelBufferPool`.
///
/// The consumer that supplied the pool finds it as `PixelBuffer.memory`; a plane's offset is the
/// distance of the base addresses. Decoders predict frames from others, so the memory is read as
/// well as written and must be as fast to read as plain memory; memory mapped for writing only
/// seldom is.
///
/// - Concurrency: any thread. A decoder writes it until the pixel buffer exists; after that it is
///   only read. A decoder may still read it after its last pixel buffer is released.
/// - Ownership: releasing the last reference returns it, on any thread, often one of a decoder:
///   `deinit` must not wait or call OpenGL. Until then the bytes do not move, even if the pool and
///   the consumer are gone.
public protocol PixelBufferMemory: AnyObject, Sendable {
    /// The block, which is constant. Its first byte is at a multiple of `PixelBuffer.alignment`.
    var bytes: UnsafeMutableRawBufferPointer { get }
}
