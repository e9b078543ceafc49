// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A source from which a consumer pulls the frame for a time.
///
/// A display link asks the source for a frame before every vsync. Each source object keeps its own
/// record of which frames were taken from it, so several consumers can show one item independently.
///
/// - Concurrency: any thread, one caller at a time; usually the render thread. The methods never
///   wait for a decoder.
/// - Corresponds to: the pulling methods of `AVPlayerItemVideoOutput`.
public protocol PixelBufferSource: AnyObject, Sendable {
    /// Returns the time on the source's timeline at the moment when the host clock reads
    /// `hostTime`.
    func itemTime(forHostTime hostTime: MediaTime) -> MediaTime

    /// Returns whether the frame for `itemTime` differs from the last one that was taken.
    func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool

    /// Returns the frame for `itemTime` and the time at which its display begins, and marks the
    /// frame as taken. Returns nil if no frame is due. A repeated call for the same time returns
    /// the same frame, so that the consumer can redraw it.
    func copyPixelBuffer(forItemTime itemTime: MediaTime) -> (PixelBuffer, displayTime: MediaTime)?

    /// Returns the frame that follows the frame for `itemTime`, or nil if the source does not know
    /// it yet. Does not mark the frame as taken. Consumers that prepare frames before they are due
    /// call this method.
    ///
    /// - Parameter step: The usual interval between two requests; 0 if unknown. If frames are
    ///   closer together than this interval, the method returns the frame that will be due at the
    ///   next request.
    func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer?
}

extension PixelBufferSource {
    /// Returns nil. By default, a source does not look ahead.
    public func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer? { nil }
}
