// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// What can show the sound of a moment as numbers: how shaders get to see sound.
///
/// - Concurrency: any thread; usually the render thread. Does not wait for the sound callback.
/// - Corresponds to: what ISF hosts make the inputs `audio` and `audioFFT` of.
public protocol AudioPictureSource: AnyObject, Sendable {
    /// Channels that there are; 0 while nothing is known of the sound.
    var channelCount: Int { get }

    /// Copies the samples around an item time, which is in their middle, from −1 to 1.
    ///
    /// - Parameter channel: nil for the mean of all.
    /// - Returns: whether there is sound of that time; if not, nothing is copied that means anything.
    func copyWaveform(
        into samples: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
    ) -> Bool

    /// Copies the amplitudes around an item time over frequency, evenly from 0 to half of the sample
    /// rate; a sine of full scale is 1 at its frequency.
    ///
    /// - Parameter channel: nil for the mean of all.
    /// - Returns: whether there is sound of that time.
    func copySpectrum(
        into bins: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
    ) -> Bool
}
