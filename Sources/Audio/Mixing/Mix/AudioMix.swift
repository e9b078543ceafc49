// SPDX-License-Identifier: Apache-2.0

/// How an item's sound is mixed: for each track its volume over time, its place between left and
/// right, and what processes it.
///
///     var parameters = AudioMixInputParameters()
///     parameters.setVolumeRamp(from: 0, to: 1, timeRange: firstSecond)
///     item.audioMix = AudioMix(inputParameters: [parameters])
///
/// A value: change a copy, and set it again; whatever changes by it does so without a click.
///
/// - Corresponds to: `AVAudioMix`, `AVMutableAudioMix`.
public struct AudioMix: Sendable {
    /// What is done to each track; those that are not named sound as they are.
    public var inputParameters: [AudioMixInputParameters]

    public init(inputParameters: [AudioMixInputParameters] = []) {
        self.inputParameters = inputParameters
    }

    /// What holds for a track: the first parameters that name it, else the first that name none.
    public func parameters(forTrack trackID: Int) -> AudioMixInputParameters? {
        inputParameters.first { $0.trackID == trackID }
            ?? inputParameters.first { $0.trackID == nil }
    }
}
