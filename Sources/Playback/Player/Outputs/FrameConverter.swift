// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A converter for the frames of an output.
///
/// - Concurrency: any thread. There is one call at a time.
package protocol FrameConverter: AnyObject, Sendable {
    /// Returns a frame in the format that the client of the output requires.
    func convert(_ buffer: PixelBuffer) -> PixelBuffer
}
