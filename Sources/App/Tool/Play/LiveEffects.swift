// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Effects whose files are watched while films play: what is saved is seen, and what is wrong with it
/// is told on standard error, with the line and a caret.
@MainActor final class LiveEffects {
    private var watcher: EffectWatcher?
    private let handler: @MainActor (Outcome) -> Void

    /// What became of a save.
    struct Outcome {
        /// The effect whose file it was; nil of a preset.
        let instance: EffectInstance?
        /// For people.
        let line: String
        /// What is wrong, if anything is.
        let error: EffectError?
    }

    /// - Parameter handler: told after each save.
    init(_ settings: PlaySettings, handler: @escaping @MainActor (Outcome) -> Void) {
        self.handler = handler
        for effect in settings.effects + (settings.transition.map { [$0] } ?? []) {
            watch(effect, format: settings.options.effects.format)
        }
        if let preset = settings.options.effects.preset {
            start()?.watch(presetAt: preset, of: settings.effects)
        }
    }

    /// Watches one more, unless it is built in.
    func watch(_ effect: EffectInstance, format: EffectFormat? = nil) {
        guard FileManager.default.fileExists(atPath: effect.effect.path) else { return }
        start()?.watch(effect, format: format)
    }

    /// Ends watching one.
    func unwatch(_ effect: EffectInstance) { watcher?.unwatch(effect) }

    /// Ends watching, before the program ends.
    func stop() {
        watcher?.stop()
        watcher = nil
    }

    /// The watcher, made when there is something to watch: it takes a thread and a context.
    private func start() -> EffectWatcher? {
        if let watcher { return watcher }
        do {
            let handler = handler
            watcher = try EffectWatcher { event in
                Task { @MainActor in
                    let outcome = Outcome(event)
                    if let error = outcome.error { Console.report(error.excerpt) }
                    handler(outcome)
                }
            }
        } catch {
            Console.note("effects are not watched: \(error)")
        }
        return watcher
    }
}

extension LiveEffects.Outcome {
    init(_ event: EffectWatcher.Event) {
        switch event {
        case .reloaded(let instance):
            self.init(
                instance: instance, line: "\(instance.effect.path): reloaded", error: nil)
        case .failed(let instance, let error):
            self.init(instance: instance, line: ToolError(error).description, error: error)
        case .applied(let preset):
            self.init(instance: nil, line: "\(preset): applied", error: nil)
        case .presetFailed(_, let error):
            self.init(instance: nil, line: error.description, error: error)
        }
    }
}
