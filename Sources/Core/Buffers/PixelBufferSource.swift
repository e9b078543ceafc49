// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A source that returns the frame for a time: the pull side of playback.
///
/// A display link asks it before every vsync. Each source records on its own which frames were
/// taken from it, so several consumers can show one item independently.
///
/// - Concurrency: any thread, one caller at a time; usually the render thread. Never waits for a
///   decoder.
/// - Corresponds to: the pulling methods of `AVPlayerItemVideoOutput`.
public protocol PixelBufferSource: AnyObject, Sendable {
    /// Returns the time of the source's timeline when the host clock reads `hostTime`.
    func itemTime(forHostTime hostTime: MediaTime) -> MediaTime

    /// Returns whether the frame for `itemTime` differs from the last one that was taken.
    func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool

    /// Returns the frame for `itemTime` and the time at which its display begins, and marks it as
    /// taken; nil if no frame is due. A repeated call for the same time returns the same frame, for
    /// redraws.
    func copyPixelBuffer(forItemTime itemTime: MediaTime) -> (PixelBuffer, displayTime: MediaTime)?

    /// Returns the frame after the one for `itemTime`, if it is known already, for consumers that
    /// prepare frames before they are due. Does not mark it as taken.
    ///
    /// - Parameter step: The usual interval between two requests, 0 if unknown. If frames are
    ///   closer together, the frame that will be due then is returned.
    func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer?
}

extension PixelBufferSource {
    /// Returns nil: by default a source does not look ahead.
    public func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer? { nil }
}
