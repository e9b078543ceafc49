// SPDX-License-Identifier: Apache-2.0

/// Where a decoder gets the memory that it writes pictures into.
///
/// A consumer supplies one to have pictures come into being where it wants them, such as in memory
/// that is mapped for OpenGL, and saves copying them there. Without a pool, and whenever one has
/// nothing to give, decoders use plain memory of their own.
///
/// The decoder lays the planes out: all in one block, each plane and each of its rows at a multiple of
/// `PixelBuffer.alignment` bytes, with the padding that the codec asks for around and behind them. Of
/// a picture that is cut out of a larger one the planes begin somewhere within.
///
/// - Concurrency: called on threads of decoders, several at a time. It must not wait: a pool that
///   has nothing left says so.
/// - Corresponds to: `CVPixelBufferPool`; `AVCodecContext.get_buffer2`.
public protocol PixelBufferPool: AnyObject, Sendable {
    /// Memory for a picture.
    ///
    /// - Parameter byteCount: how many bytes it needs; there may be more. As a rule the same from
    ///   picture to picture of a stream.
    /// - Returns: nil if there is none: the decoder then takes plain memory.
    func makeMemory(byteCount: Int) -> (any PixelBufferMemory)?
}
