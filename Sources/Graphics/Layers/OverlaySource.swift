// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A source of images over a video, such as subtitles. Each image has a position in the video's
/// frame, and is not counted as a frame.
///
/// A layer that shows the source is laid out like the video, with the video's size, and the image
/// is drawn at its position in this layout. So give the layer the same frame and gravity as the
/// video:
///
///     Scene(layers: [Layer(.video(film)), Layer(.video(subtitles))])
///
/// - Concurrency: render thread.
package protocol OverlaySource: PixelBufferSource {
    /// The size of the video, in square pixels.
    var overlaySize: (width: Double, height: Double) { get }
    /// The position of the image that was taken last, in fractions of `overlaySize`.
    var overlayRect: LayerRect { get }
    /// Called whenever the image is drawn, with the size of the video on the target, in pixels.
    func noteDisplaySize(width: Int, height: Int)
}
