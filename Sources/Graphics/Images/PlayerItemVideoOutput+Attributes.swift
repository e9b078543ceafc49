// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadPlayback

extension PlayerItemVideoOutput {
    /// Creates an output whose frames have a given pixel format, size and colour space. The output
    /// is not yet added to an item.
    ///
    /// Frames are converted on a thread of the output, ahead of the playhead, and each only once. A
    /// frame that already has the attributes is returned as it was decoded.
    ///
    /// - Throws: An error for formats and sizes that frames cannot be converted to.
    /// - Corresponds to: `AVPlayerItemVideoOutput.init(pixelBufferAttributes:)`.
    public convenience init(
        pixelBufferAttributes attributes: PixelBufferAttributes
    ) throws(MediaError) {
        self.init(converter: try OutputFrameConverter(attributes))
    }
}
