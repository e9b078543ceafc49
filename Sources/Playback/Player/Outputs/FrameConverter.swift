// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A converter of the frames of one output.
///
/// - Concurrency: any thread; calls exclude each other.
package protocol FrameConverter: AnyObject, Sendable {
    /// Returns a frame as the output's client wants it.
    func convert(_ buffer: PixelBuffer) -> PixelBuffer
}
