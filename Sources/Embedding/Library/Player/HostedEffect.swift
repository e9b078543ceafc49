// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadBuffers
import PlayheadEffects

/// An effect of a player, to which hosts refer by a handle.
///
/// - Concurrency: any thread.
final class HostedEffect: Sendable {
    let instance: EffectInstance
    private let onRemove: @Sendable (HostedEffect) -> Void

    /// Creates an effect.
    ///
    /// - Parameter onRemove: Removes the effect from its player.
    init(_ instance: EffectInstance, onRemove: @escaping @Sendable (HostedEffect) -> Void) {
        self.instance = instance
        self.onRemove = onRemove
    }

    func removeFromPlayer() { onRemove(self) }

    func input(_ name: String) throws -> EffectInput {
        guard let input = instance.effect.input(named: name) else {
            throw EffectError.unknownInput(
                effect: instance.effect.name, input: name,
                known: instance.effect.inputs.map(\.name))
        }
        return input
    }

    func set(_ name: String, _ values: UnsafeBufferPointer<Float>) throws {
        let input = try input(name)
        guard values.count == input.kind.valueCount else {
            throw CallFailure(
                PLAYHEAD_EFFECT_WRONG_VALUE,
                "input '\(name)' of effect '\(instance.effect.name)' takes "
                    + "\(input.kind.valueCount) values, not \(values.count)")
        }
        guard values.allSatisfy(\.isFinite) else {
            throw CallFailure(
                PLAYHEAD_EFFECT_WRONG_VALUE, "the values of input '\(name)' must be finite")
        }
        let value: EffectValue
        switch input.kind {
        case .event: value = .event
        case .bool: value = .bool(values[0] != 0)
        case .long: value = .long(Int32(clamping: Int64(values[0].clamped(to: -2e9...2e9))))
        case .float: value = .float(values[0])
        case .point2D: value = .point2D(SIMD2(values[0], values[1]))
        case .color: value = .color(SIMD4(values[0], values[1], values[2], values[3]))
        case .image:
            throw CallFailure(
                PLAYHEAD_EFFECT_WRONG_VALUE,
                "input '\(name)' is an image; set it with playhead_effect_set_image")
        case .audio, .audioFFT:
            throw CallFailure(
                PLAYHEAD_EFFECT_WRONG_VALUE,
                "input '\(name)' is the audio of the media, which cannot be set")
        }
        try instance.set(value, for: name)
    }

    func numbers(_ name: String) throws -> [Float] {
        _ = try input(name)
        return instance.value(for: name)?.numbers ?? []
    }

    func setImage(_ name: String, _ picture: PixelBuffer?) throws {
        try instance.set(.image(picture), for: name)
    }
}

extension EffectInput.Kind {
    /// The number of components in a value of this kind.
    var valueCount: Int {
        switch self {
        case .event, .image, .audio, .audioFFT: 0
        case .bool, .long, .float: 1
        case .point2D: 2
        case .color: 4
        }
    }

    var code: Int {
        switch self {
        case .event: PLAYHEAD_INPUT_EVENT
        case .bool: PLAYHEAD_INPUT_BOOL
        case .long: PLAYHEAD_INPUT_LONG
        case .float: PLAYHEAD_INPUT_FLOAT
        case .point2D: PLAYHEAD_INPUT_POINT
        case .color: PLAYHEAD_INPUT_COLOR
        case .image: PLAYHEAD_INPUT_IMAGE
        case .audio, .audioFFT: PLAYHEAD_INPUT_AUDIO
        }
    }
}

extension EffectValue {
    var numbers: [Float] {
        switch self {
        case .event, .image: []
        case .bool(let value): [value ? 1 : 0]
        case .long(let value): [Float(value)]
        case .float(let value): [value]
        case .point2D(let value): [value.x, value.y]
        case .color(let value): [value.x, value.y, value.z, value.w]
        }
    }
}

extension Comparable {
    func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
