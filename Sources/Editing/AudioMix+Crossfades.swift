// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadAudio
import PlayheadExport
import PlayheadTime
package import PlayheadTimelines
package import PlayheadVideoCompositions

extension AudioMix {
    /// Creates the mix of crossfades. The volume of one track falls linearly while that of the
    /// other rises, so that their sum is constant.
    package init(_ crossfades: [AudioCrossfade]) {
        self.init(
            inputParameters: crossfades.flatMap { crossfade in
                crossfade.trackIDs.enumerated().map { index, id in
                    var parameters = AudioMixInputParameters(trackID: id)
                    // Without this, the volume would fall to the start of the first ramp.
                    if index > 0 { parameters.setVolume(0) }
                    for (number, range) in crossfade.timeRanges.enumerated() {
                        let falls = number % 2 == index
                        parameters.setVolumeRamp(
                            from: falls ? 1 : 0, to: falls ? 0 : 1, timeRange: range)
                    }
                    return parameters
                }
            })
    }
}

extension Asset {
    /// Returns an asset with the transitions of a composition's asset: its video shows the frames
    /// of a video composition, and each pair of audio tracks is heard as one.
    package func withTransitions(
        _ rules: VideoComposition?, crossfades: [AudioCrossfade]
    ) -> Asset {
        var asset = self
        if !crossfades.isEmpty {
            let mix = AudioMix(crossfades)
            asset = MixedAudioAsset(
                asset,
                tracks: crossfades.map { MixedAudioTrack(trackIDs: $0.trackIDs, mix: mix) })
        }
        return rules?.makeAsset(from: asset) ?? asset
    }
}
