// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadPlayback

extension PlayerItemVideoOutput {
    /// Creates an output, added to no item, whose frames have a pixel format, a size and a colour
    /// space.
    ///
    /// Frames are converted on a thread of the output, ahead of the playhead, and each once. A
    /// frame that has the attributes already is handed out as it was decoded.
    ///
    /// - Throws: An error for formats and sizes that frames cannot be converted to.
    /// - Corresponds to: `AVPlayerItemVideoOutput.init(pixelBufferAttributes:)`.
    public convenience init(
        pixelBufferAttributes attributes: PixelBufferAttributes
    ) throws(MediaError) {
        self.init(converter: try OutputFrameConverter(attributes))
    }
}
