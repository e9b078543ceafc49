// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import Synchronization

/// An effect at work somewhere, with values of its own for its inputs.
///
/// ```swift
/// let key = EffectInstance(try EffectLibrary.effect(named: "chroma_key"))
/// try key.set(.float(0.3), for: "tolerance")
/// ```
///
/// - Concurrency: any thread; values take effect with the next frame drawn. The render thread reads
///   them under a short lock.
/// - Corresponds to: a `CIFilter` with its input values.
public final class EffectInstance: Sendable {
    public let effect: Effect
    /// Asked for in every frame, and told by reading the text: so once.
    let isPerPixel: Bool
    private let state: Mutex<State>

    private struct State {
        var values: [EffectValue]
        var firedEvents: Set<Int> = []
        var isEnabled = true
        var sound: (any AudioPictureSource)?
        var generation: UInt64 = 0
        var error: EffectError?
    }

    /// What the render thread draws one frame with.
    struct Snapshot {
        /// In the order of the effect's inputs.
        var values: [EffectValue]
        var firedEvents: Set<Int>
        var isEnabled: Bool
        var sound: (any AudioPictureSource)?
        var generation: UInt64
    }

    /// Makes an instance with the defaults that the effect's file gives.
    public init(_ effect: Effect) {
        self.effect = effect
        isPerPixel = effect.isPerPixel
        state = Mutex(State(values: effect.inputs.map(\.defaultValue)))
    }

    /// Whether it is applied at all.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set {
            state.withLock {
                guard $0.isEnabled != newValue else { return }
                $0.isEnabled = newValue
                $0.generation += 1
            }
        }
    }

    /// What its `audio` and `audioFFT` inputs show, at the time of the picture; nil for silence. An
    /// `AudioAnalyzerTap` in the mix of the film is one.
    ///
    /// - Ownership: kept by the instance.
    public var sound: (any AudioPictureSource)? {
        get { state.withLock { $0.sound } }
        set {
            state.withLock {
                $0.sound = newValue
                $0.generation += 1
            }
        }
    }

    /// Whether the effect looks at sound at all.
    public var hearsSound: Bool {
        effect.inputs.contains { $0.kind == .audio || $0.kind == .audioFFT }
    }

    /// The value of an input; nil where there is no such input.
    public func value(for name: String) -> EffectValue? {
        guard let index = index(of: name) else { return nil }
        return state.withLock { $0.values[index] }
    }

    /// Sets the value of an input. An event is set by `.event`, and is true in the next frame only.
    ///
    /// - Throws: `EffectError.unknownInput`, `.wrongType`.
    public func set(_ value: EffectValue, for name: String) throws(EffectError) {
        guard let index = index(of: name) else { throw unknown(name) }
        let input = effect.inputs[index]
        guard Self.fits(value, input.kind) else {
            throw .wrongType(effect: effect.name, input: name, expected: input.kind)
        }
        state.withLock {
            if case .event = value {
                $0.firedEvents.insert(index)
            } else if $0.values[index] == value {
                return
            } else {
                $0.values[index] = value
            }
            $0.generation += 1
        }
    }

    /// Sets the value of an input from text, as a command line gives it.
    ///
    /// - Throws: `EffectError.unknownInput`, `.wrongType`.
    public func set(parsing text: String, for name: String) throws(EffectError) {
        guard let input = effect.input(named: name) else { throw unknown(name) }
        guard let value = input.value(parsing: text) else {
            throw .wrongType(effect: effect.name, input: name, expected: input.kind)
        }
        try set(value, for: name)
    }

    /// Gives every input its default again.
    public func reset() {
        state.withLock {
            $0.values = effect.inputs.map(\.defaultValue)
            $0.generation += 1
        }
    }

    /// What keeps the effect from being drawn, until it is drawn again; nil when nothing does.
    public var error: EffectError? { state.withLock { $0.error } }

    /// Grows with every change: whoever draws knows by it whether there is something new.
    package var generation: UInt64 { state.withLock { $0.generation } }

    /// The values for one frame. Events that were fired are handed over once.
    func takeSnapshot() -> Snapshot {
        state.withLock {
            let fired = $0.firedEvents
            if !fired.isEmpty {
                $0.firedEvents = []
                // The frame after shows the event no more: that is a change too.
                $0.generation += 1
            }
            return Snapshot(
                values: $0.values, firedEvents: fired, isEnabled: $0.isEnabled,
                sound: $0.sound, generation: $0.generation)
        }
    }

    /// Notes what keeps the effect from being drawn.
    ///
    /// - Returns: whether it is news.
    func note(_ error: EffectError?) -> Bool {
        state.withLock {
            guard $0.error != error else { return false }
            $0.error = error
            return error != nil
        }
    }

    private func index(of name: String) -> Int? {
        effect.inputs.firstIndex { $0.name == name }
    }

    private func unknown(_ name: String) -> EffectError {
        .unknownInput(effect: effect.name, input: name, known: effect.inputs.map(\.name))
    }

    private static func fits(_ value: EffectValue, _ kind: EffectInput.Kind) -> Bool {
        switch (value, kind) {
        case (.event, .event), (.bool, .bool), (.long, .long), (.float, .float),
            (.point2D, .point2D), (.color, .color), (.image, .image):
            true
        default:
            false
        }
    }
}
