// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Watches the files of effects during playback. A file that is saved is reloaded, and its errors
/// are printed with the line and a caret.
@MainActor final class LiveEffects {
    private var watcher: EffectWatcher?
    private let handler: @MainActor (Outcome) -> Void

    /// The outcome of reloading a saved file.
    struct Outcome {
        /// The effect whose file was saved; nil for a preset.
        let instance: EffectInstance?
        /// A message for the user.
        let line: String
        /// The error, if there is one.
        let error: EffectError?
    }

    /// Watches the files of the effects and presets.
    ///
    /// - Parameter handler: called after each save.
    convenience init(_ settings: PlaySettings, handler: @escaping @MainActor (Outcome) -> Void) {
        self.init(handler: handler)
        for effect in settings.effects + (settings.transition.map { [$0] } ?? []) {
            watch(effect, format: settings.options.effects.format)
        }
        if let preset = settings.options.effects.preset {
            start()?.watch(presetAt: preset, of: settings.effects)
        }
    }

    /// Creates an object that watches nothing yet.
    ///
    /// - Parameter handler: called after each save.
    init(handler: @escaping @MainActor (Outcome) -> Void) { self.handler = handler }

    /// Watches another effect, unless it is built in.
    func watch(_ effect: EffectInstance, format: EffectFormat? = nil) {
        guard FileManager.default.fileExists(atPath: effect.effect.path) else { return }
        start()?.watch(effect, format: format)
    }

    /// Stops watching an effect.
    func unwatch(_ effect: EffectInstance) { watcher?.unwatch(effect) }

    /// Stops watching. Called before the program exits.
    func stop() {
        watcher?.stop()
        watcher = nil
    }

    /// Returns the watcher. It is created when it is first needed, because it has a thread and an
    /// OpenGL context.
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
            Console.note("effect files are not watched for changes: \(error)")
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
