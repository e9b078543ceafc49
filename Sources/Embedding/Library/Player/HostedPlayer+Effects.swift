// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadEffects
import Synchronization

extension HostedPlayer {
    /// Adds an effect after the others and returns its handle.
    func add(_ effect: Effect) throws -> OpaquePointer {
        let hosted = HostedEffect(EffectInstance(effect)) { [weak self] in self?.remove($0) }
        guard let handle = HandleTable.shared.add(hosted, kind: .effect) else {
            throw CallFailure.outOfHandles
        }
        let number = UInt(bitPattern: handle)
        let isAdded = control.withLock { control in
            guard !control.isEnded, control.effects.count < Self.effectLimit else { return false }
            control.effects.append((number, hosted))
            control.effectsChanged()
            return true
        }
        guard isAdded else {
            _ = HandleTable.shared.remove(handle, .effect, as: HostedEffect.self)
            throw CallFailure(
                PLAYHEAD_OUT_OF_RESOURCES,
                "the player has \(Self.effectLimit) effects, which is the maximum; remove one "
                    + "with playhead_effect_remove")
        }
        settleHearing()
        return handle
    }

    func remove(_ effect: HostedEffect) {
        control.withLock { control in
            control.effects.removeAll { $0.effect === effect }
            control.effectsChanged()
        }
        settleHearing()
    }

    /// The maximum number of effects. Each effect is drawn in a pass of its own.
    private static let effectLimit = 64
}

extension HostedPlayer.Control {
    mutating func effectsChanged() {
        instances = effects.map(\.effect.instance)
        generation += 1
        lookChanges += 1
    }
}
