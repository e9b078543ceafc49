// SPDX-License-Identifier: Apache-2.0

import PlayheadEditing

/// A destination of rendered frames and audio.
protocol RenderSink: RenderAudioSink {
    /// A Boolean value that indicates whether alpha is stored.
    var hasAlpha: Bool { get }
    /// A Boolean value that indicates whether audio is stored.
    var takesSound: Bool { get }
    /// The steps of widths and heights, which are multiples of them.
    var sizeStep: (x: Int, y: Int) { get }

    /// Returns the format in which frames like this one are stored without being drawn; nil if they
    /// have to be drawn.
    func plainFormat(of frame: PixelBuffer) -> VideoSampleFormat?
    /// Declares the format, before the first frame.
    func begin(_ format: RenderFormat) throws
    /// Adds a frame: as it was decoded, or drawn, with straight alpha.
    ///
    /// - Parameter duration: the duration for which the frame is shown.
    func append(_ frame: PixelBuffer, at time: MediaTime, duration: MediaTime) throws
    /// Declares that no frame follows.
    func endFrames() throws
    /// Completes the output.
    func finish() throws
    /// Gives the output up, so that nothing is left of it.
    func cancel()
    /// A description of the output, for the closing message.
    var summary: String { get }
}
