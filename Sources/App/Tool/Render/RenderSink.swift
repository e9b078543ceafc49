// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// A destination of rendered frames and audio.
protocol RenderSink: RenderAudioSink {
    /// A Boolean value that indicates whether alpha is stored.
    var hasAlpha: Bool { get }
    /// A Boolean value that indicates whether audio is stored.
    var takesSound: Bool { get }
    /// The step of widths and heights: both must be multiples of it.
    var sizeStep: Int { get }

    /// Declares the format. It is called before the first frame.
    func begin(
        width: Int, height: Int, frameDuration: MediaTime, timescale: Int32, sound: AudioFormat?)
        throws
    /// Adds a frame.
    ///
    /// - Parameter duration: the time for which the frame is shown.
    func append(_ image: RGBAImage, at time: MediaTime, duration: MediaTime) throws
    func finish() throws
    /// A description of the output, for the closing message.
    var summary: String { get }
}
