// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A source whose pictures lie over a film, such as its subtitles: each stands somewhere in the film's
/// picture, and none counts as a frame of it.
///
/// A layer that shows it is laid out like the film's, with the film's size, and the picture then takes
/// the part of that which the source says. So the same frame and gravity as the film's are right for
/// it:
///
///     Scene(layers: [Layer(.video(film)), Layer(.video(subtitles))])
///
/// - Concurrency: render thread.
package protocol OverlaySource: PixelBufferSource {
    /// Size of what it lies over, in square pixels.
    var overlaySize: (width: Double, height: Double) { get }
    /// Where the picture stands that was taken last, in fractions of that.
    var overlayRect: LayerRect { get }
    /// Told, whenever it is drawn, how large what it lies over is seen, in pixels of the target.
    func overlayIsSeen(width: Int, height: Int)
}
