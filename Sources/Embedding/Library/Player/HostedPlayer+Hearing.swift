// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadEffects
import PlayheadPlayback
import Synchronization

extension HostedPlayer {
    /// Connects effects that have audio inputs to the audio of the open media. The audio is
    /// analysed only for such effects.
    func settleHearing() {
        while true {
            let (film, effects, changes) = control.withLock { control in
                (control.film, control.instances.filter(\.hearsSound), control.lookChanges)
            }
            for effect in effects where effect.sound !== film?.analyzer {
                effect.sound = film?.analyzer
            }
            if let film, effects.isEmpty != (film.item.audioMix == nil) {
                var parameters = AudioMixInputParameters()
                parameters.taps = [film.analyzer]
                film.item.audioMix =
                    effects.isEmpty ? nil : AudioMix(inputParameters: [parameters])
            }
            let isSettled = control.withLock { control in
                control.film?.item === film?.item && control.lookChanges == changes
            }
            if isSettled { return }
        }
    }
}
