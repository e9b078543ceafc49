// SPDX-License-Identifier: Apache-2.0

/// The mix of an item's audio: for each track its volume over time, its pan, and its taps.
///
///     var parameters = AudioMixInputParameters()
///     parameters.setVolumeRamp(from: 0, to: 1, timeRange: firstSecond)
///     item.audioMix = AudioMix(inputParameters: [parameters])
///
/// It is a value: change a copy and set it again. The resulting changes do not click.
///
/// - Corresponds to: `AVAudioMix`, `AVMutableAudioMix`.
public struct AudioMix: Sendable {
    /// The parameters of each track; tracks that are not named are unchanged.
    public var inputParameters: [AudioMixInputParameters]

    /// Creates a mix.
    public init(inputParameters: [AudioMixInputParameters] = []) {
        self.inputParameters = inputParameters
    }

    /// Returns the parameters for a track: the first that name it, else the first that name no
    /// track.
    public func parameters(forTrack trackID: Int) -> AudioMixInputParameters? {
        inputParameters.first { $0.trackID == trackID }
            ?? inputParameters.first { $0.trackID == nil }
    }
}
