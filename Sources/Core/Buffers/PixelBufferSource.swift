// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// Something that can be asked which picture is due at a time: the pull side of playback.
///
/// A display link asks it before every vsync. Each source keeps its own record of what has been
/// taken from it, so several may look at one film without disturbing each other.
///
/// - Concurrency: any thread, one caller at a time; usually the render thread. Never waits for a
///   decoder.
/// - Corresponds to: the pulling methods of `AVPlayerItemVideoOutput`.
public protocol PixelBufferSource: AnyObject, Sendable {
    /// What the source's timeline reads when the host clock reads `hostTime`.
    func itemTime(forHostTime hostTime: MediaTime) -> MediaTime

    /// Whether there is a picture for `itemTime` to be shown in place of the one last taken.
    func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool

    /// The picture for `itemTime`, and the time at which its display begins; nil when there is none.
    /// Marks it as taken. Asking again for the same time gives the same picture, for redraws.
    func copyPixelBuffer(forItemTime itemTime: MediaTime) -> (PixelBuffer, displayTime: MediaTime)?

    /// The picture that follows the one for `itemTime`, if that is known by now, for whoever prepares
    /// pictures before they are due. Marks nothing as taken.
    ///
    /// - Parameter step: how much later the source is usually asked again, 0 if that is not known: of
    ///   pictures that come faster, the one that will be due then.
    func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer?
}

extension PixelBufferSource {
    /// Sources that do not look ahead have none.
    public func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer? { nil }
}
