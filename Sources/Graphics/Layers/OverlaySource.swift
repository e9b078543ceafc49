// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A source of images over a video, such as its subtitles: each has a position in the video's
/// frame, and does not count as a frame.
///
/// A layer that shows it is laid out like the video's, with the video's size, and the image takes
/// the part of it that the source states. So give it the same frame and gravity as the video:
///
///     Scene(layers: [Layer(.video(film)), Layer(.video(subtitles))])
///
/// - Concurrency: render thread.
package protocol OverlaySource: PixelBufferSource {
    /// The size of the video, in square pixels.
    var overlaySize: (width: Double, height: Double) { get }
    /// The position of the image that was taken last, in fractions of that size.
    var overlayRect: LayerRect { get }
    /// Called whenever it is drawn, with the size of the video on the target, in pixels.
    func noteDisplaySize(width: Int, height: Int)
}
