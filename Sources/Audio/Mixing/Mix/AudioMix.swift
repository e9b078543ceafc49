// SPDX-License-Identifier: Apache-2.0

/// The mix of an item's audio: the volume over time, the pan and the taps of each track.
///
///     var parameters = AudioMixInputParameters()
///     parameters.setVolumeRamp(from: 0, to: 1, timeRange: firstSecond)
///     item.audioMix = AudioMix(inputParameters: [parameters])
///
/// A mix is a value: change a copy and set it again. The new mix takes effect without a click.
///
/// - Corresponds to: `AVAudioMix`, `AVMutableAudioMix`.
public struct AudioMix: Sendable {
    /// The parameters of the tracks. Tracks without parameters are unchanged.
    public var inputParameters: [AudioMixInputParameters]

    /// Creates a mix.
    public init(inputParameters: [AudioMixInputParameters] = []) {
        self.inputParameters = inputParameters
    }

    /// Returns the parameters for a track: the first parameters that name the track or, if there
    /// are none, the first that name no track.
    public func parameters(forTrack trackID: Int) -> AudioMixInputParameters? {
        inputParameters.first { $0.trackID == trackID }
            ?? inputParameters.first { $0.trackID == nil }
    }
}
