// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A source that returns the waveform and the spectrum of audio around a given time. Shaders
/// receive both as textures.
///
/// - Concurrency: any thread; usually the render thread. The methods do not wait for the audio
///   callback.
/// - Corresponds to: the source of the inputs `audio` and `audioFFT` in ISF hosts.
public protocol AudioPictureSource: AnyObject, Sendable {
    /// The number of channels; 0 until audio has arrived.
    var channelCount: Int { get }

    /// Copies the samples around `itemTime`, which is the time of the middle sample. The values are
    /// from −1 to 1.
    ///
    /// - Parameter channel: The channel; nil for the mean of all channels.
    /// - Returns: A Boolean value that indicates whether there is audio at that time. If not, the
    ///   copied values are meaningless.
    func copyWaveform(
        into samples: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
    ) -> Bool

    /// Copies the spectrum around an item time: amplitudes at evenly spaced frequencies from 0 to
    /// half the sample rate. A full-scale sine has amplitude 1 at its frequency.
    ///
    /// - Parameter channel: The channel; nil for the mean of all channels.
    /// - Returns: A Boolean value that indicates whether there is audio at that time.
    func copySpectrum(
        into bins: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
    ) -> Bool
}
