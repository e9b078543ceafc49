// SPDX-License-Identifier: Apache-2.0

/// One block of memory that all planes of a picture lie in, lent by a `PixelBufferPool`.
///
/// The consumer that supplied the pool finds it again at `PixelBuffer.memory`; where a plane lies in
/// it is the distance of their base addresses. Decoders keep pictures to predict others from, so the
/// memory is read as well as written: it has to be as fast to read as plain memory is, which memory
/// that was mapped for writing only seldom is.
///
/// - Concurrency: any thread. Written by a decoder until the pixel buffer exists, then only read; a
///   decoder may still read it after the last pixel buffer of it has gone.
/// - Ownership: it is given back by releasing the last reference, on any thread, often one of a
///   decoder's: `deinit` must not wait there, nor call OpenGL. Until then its bytes stay where they
///   are, whatever becomes of the pool and of the consumer.
public protocol PixelBufferMemory: AnyObject, Sendable {
    /// The block, the same at every call. Its first byte lies at a multiple of
    /// `PixelBuffer.alignment`.
    var bytes: UnsafeMutableRawBufferPointer { get }
}
