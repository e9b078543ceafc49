// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A source of waveforms and spectra at a time, which shaders receive as textures.
///
/// - Concurrency: any thread; usually the render thread. Does not wait for the audio callback.
/// - Corresponds to: the source of the inputs `audio` and `audioFFT` in ISF hosts.
public protocol AudioPictureSource: AnyObject, Sendable {
    /// The number of channels; 0 until audio has arrived.
    var channelCount: Int { get }

    /// Copies the samples around an item time, which is in their middle; values are from −1 to 1.
    ///
    /// - Parameter channel: The channel; nil for the mean of all.
    /// - Returns: A Boolean value that indicates whether there is audio at that time; if not, the
    ///   copied values are meaningless.
    func copyWaveform(
        into samples: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
    ) -> Bool

    /// Copies the amplitudes around an item time over frequency, evenly from 0 to half the sample
    /// rate. A full-scale sine is 1 at its frequency.
    ///
    /// - Parameter channel: The channel; nil for the mean of all.
    /// - Returns: A Boolean value that indicates whether there is audio at that time.
    func copySpectrum(
        into bins: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
    ) -> Bool
}
