// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// An object that finds frames by their times. They are the frames of a track or of a video
/// composition.
///
/// - Concurrency: one thread at a time; calls block for reading and decoding.
package protocol VideoFrameFinder: AnyObject {
    /// The description of the asset.
    var description: AssetDescription { get }

    /// Returns the frame that is displayed at a time.
    ///
    /// - Parameters:
    ///   - tolerance: The maximum time from the start of the returned frame to the start of the
    ///     displayed frame; not negative.
    ///   - isCancelled: Called between frames; if it returns true, the search ends with the error
    ///     `cancelled`.
    /// - Throws: `noSuchFrame` for a time after the end; the errors of reading and decoding.
    func picture(
        at time: MediaTime, toleranceBefore tolerance: MediaTime, isCancelled: () -> Bool
    ) throws(MediaError) -> VideoFrame
}
