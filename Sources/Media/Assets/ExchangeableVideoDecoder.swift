// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// A decoder that makes its frames by rules that can be exchanged while it is used. Frames that it
/// has already returned can be made again.
///
/// - Concurrency: the requirements of this protocol may be called on any thread, also during a call
///   on another one.
package protocol ExchangeableVideoDecoder: VideoDecoder {
    /// Returns a Boolean value that indicates whether a frame was made by earlier rules.
    func isOutdated(_ frame: VideoFrame) -> Bool

    /// Returns the frames of a time range by the current rules.
    ///
    /// - Parameter includesShown: A Boolean value that indicates whether the result begins with the
    ///   frame that is shown at the start of the range. Otherwise, it contains only frames that
    ///   begin in the range.
    /// - Throws: The reason why the current rules cannot be applied. The earlier ones remain.
    func frames(
        in range: MediaTimeRange, includesShown: Bool
    ) throws(MediaError) -> [VideoFrame]
}
