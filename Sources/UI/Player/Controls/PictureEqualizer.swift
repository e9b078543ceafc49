// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadEffects

/// The effects that apply the user's picture settings. If all settings have their defaults, there
/// are no effects and the video takes one draw call.
///
/// - Concurrency: the main thread.
@MainActor final class PictureEqualizer {
    private lazy var effect = Self.effect(named: "picture")
    private lazy var smoothing = Self.effect(named: "deband")

    private static func effect(named name: String) -> EffectInstance? {
        (try? EffectLibrary.effect(named: name)).map { EffectInstance($0) }
    }

    /// Returns the effects that repair the video. They come before all other effects.
    func repairs(for settings: PictureSettings) -> [EffectInstance] {
        settings.isDebanded ? [smoothing].compactMap { $0 } : []
    }

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
