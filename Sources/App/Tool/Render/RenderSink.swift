// SPDX-License-Identifier: Apache-2.0

import PlayheadEditing

/// A destination of rendered frames and audio.
protocol RenderSink: RenderAudioSink {
    /// A Boolean value that indicates whether alpha is stored.
    var hasAlpha: Bool { get }
    /// A Boolean value that indicates whether audio is stored.
    var takesSound: Bool { get }
    /// The steps of the size: the width must be a multiple of `x`, and the height a multiple of
    /// `y`.
    var sizeStep: (x: Int, y: Int) { get }

    /// Returns the format in which frames like this one are stored without being drawn; nil if they
    /// must be drawn.
    func plainFormat(of frame: PixelBuffer) -> VideoSampleFormat?
    /// The container; nil for images.
    var fileType: MediaFileType? { get }
    /// The number of time units per second in which the container stores times; nil if frames have
    /// no times.
    var ticksPerSecond: Int32? { get }
    /// The converter of drawn frames; nil to take them in R'G'B'. It is known after `begin`.
    var drawnConverter: DrawnFrameConverter? { get }
    /// Declares the format. Called before the first frame.
    func begin(_ format: RenderFormat) throws
    /// Adds a frame, as it was decoded or as it was drawn, with straight alpha.
    ///
    /// - Parameter duration: the duration for which the frame is shown.
    func append(_ frame: PixelBuffer, at time: MediaTime, duration: MediaTime) throws
    /// Declares that no frame follows.
    func endFrames() throws
    /// Completes the output.
    func finish() throws
    /// Abandons the output and removes everything that was written.
    func cancel()
    /// A description of the output, for the closing message.
    var summary: String { get }
}
