// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadEffects

/// The effect that brings a person's wishes for colours about; none while there are none, so that a
/// film as it is costs no more than its one draw.
///
/// - Concurrency: the main thread.
@MainActor final class PictureEqualizer {
    private lazy var effect: EffectInstance? = {
        (try? EffectLibrary.effect(named: "picture")).map { EffectInstance($0) }
    }()

    func effects(for settings: PictureSettings) -> [EffectInstance] {
        guard !settings.hasPlainColors, let effect else { return [] }
        let values = [
            ("contrast", settings.contrast), ("brightness", settings.brightness),
            ("gamma", settings.gamma), ("saturation", settings.saturation),
            ("hue", settings.hue),
        ]
        for (name, value) in values { try? effect.set(.float(Float(value / 100)), for: name) }
        return [effect]
    }
}
