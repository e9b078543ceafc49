// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import Synchronization

/// An effect in use, with its own values for the inputs.
///
/// ```swift
/// let key = EffectInstance(try EffectLibrary.load("chroma_key"))
/// try key.set(.float(0.3), for: "tolerance")
/// ```
///
/// - Concurrency: any thread; values take effect with the next frame drawn. The render thread reads
///   them under a short lock.
/// - Corresponds to: a `CIFilter` with its input values.
public final class EffectInstance: Sendable {
    /// An effect, and facts that are derived from its text. The facts are needed for every frame,
    /// so they are computed once.
    final class Description: Sendable {
        let effect: Effect
        let isPerPixel: Bool

        init(_ effect: Effect) {
            self.effect = effect
            isPerPixel = effect.isPerPixel
        }
    }

    private let state: Mutex<State>

    private struct State {
        var description: Description
        /// The values, in the order of the effect's inputs.
        var values: [EffectValue]
        var animations: [String: EffectAnimation] = [:]
        /// The values of inputs that the current version of the effect does not have. They apply
        /// again if a later version has these inputs.
        var remembered: [String: EffectValue] = [:]
        /// The paths and images that were set from files, by input name.
        var pictureFiles: [String: (path: String, picture: PixelBuffer)] = [:]
        /// A Boolean value that indicates whether the effect's file is watched for changes.
        var isLive = false
        var firedEvents: Set<Int> = []
        var isEnabled = true
        var sound: (any AudioPictureSource)?
        var generation: UInt64 = 0
        var restartCount: UInt64 = 0
        var error: EffectError?
        var passNanoseconds: [Int64] = []
        var probePoint: SIMD2<Float>?
        var probe: EffectProbe?
        var keyboard = EffectKeyboard()
    }

    /// The values for one frame, read by the render thread.
    struct Snapshot {
        var description: Description
        /// The values, in the order of the effect's inputs.
        var values: [EffectValue]
        var firedEvents: Set<Int>
        var isEnabled: Bool
        var sound: (any AudioPictureSource)?
        var generation: UInt64
        /// The number of restarts.
        var restartCount: UInt64
        /// The point of the pixel to probe in this frame.
        var probePoint: SIMD2<Float>?
        /// The keyboard, or nil if the effect does not read it.
        var keyboard: EffectKeyboard?
    }

    /// Creates an instance with the default values of the effect's file.
    public init(_ effect: Effect) {
        state = Mutex(
            State(
                description: Description(effect), values: effect.inputs.map(\.defaultValue)))
    }

    /// The effect. `replace(with:)` changes it.
    public var effect: Effect { description.effect }

    var description: Description { state.withLock { $0.description } }

    /// Replaces the effect by another one, or by a new version from the same file. The new effect
    /// is used from the first frame that can be drawn with it. If it does not compile, the old one
    /// is still drawn.
    ///
    /// Inputs of the same name and kind keep their values. Inputs that have their default get the
    /// new default. Persistent buffers of the same name keep their content.
    public func replace(with effect: Effect) {
        let description = Description(effect)
        state.withLock { state in
            for (input, value) in zip(state.description.effect.inputs, state.values) {
                state.remembered[input.name] = value == input.defaultValue ? nil : value
            }
            state.description = description
            state.values = effect.inputs.map { input in
                guard let value = state.remembered[input.name], Self.fits(value, input.kind)
                else { return input.defaultValue }
                return value
            }
            state.firedEvents = []
            state.generation += 1
        }
    }

    /// A Boolean value that indicates whether the effect's file is watched for changes
    /// (`EffectWatcher`). Such an effect is not fused with others, because each change would
    /// recompile all of them.
    package var isLive: Bool {
        get { state.withLock { $0.isLive } }
        set { state.withLock { $0.isLive = newValue } }
    }

    /// A Boolean value that indicates whether the effect may be fused with others.
    var isFusible: Bool {
        state.withLock {
            $0.isEnabled && !$0.isLive && $0.probePoint == nil && $0.description.isPerPixel
        }
    }

    /// A Boolean value that indicates whether the effect is built in and enabled, and maps each
    /// colour to another colour in the same way in every frame.
    package var mapsColors: Bool {
        let isFixed = state.withLock {
            $0.isEnabled && !$0.isLive && $0.probePoint == nil && $0.animations.isEmpty
                && $0.sound == nil
        }
        let effect = effect
        return isFixed && effect.isBuiltIn && effect.isPointwise
    }

    /// A Boolean value that indicates whether the effect is applied.
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

    /// The source of the effect's `audio` and `audioFFT` inputs, or nil for silence. An
    /// `AudioAnalyzerTap` in the mix of the item is such a source.
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

    /// A Boolean value that indicates whether the effect has audio inputs.
    package var hearsSound: Bool {
        description.effect.inputs.contains { $0.kind == .audio || $0.kind == .audioFFT }
    }

    /// Returns the value of an input, or nil if there is no such input.
    public func value(for name: String) -> EffectValue? {
        state.withLock { state in
            state.description.index(of: name).map { state.values[$0] }
        }
    }

    /// Sets the value of an input. The value `.event` triggers an event input, which is then true
    /// in the next frame only.
    ///
    /// - Throws: `EffectError.unknownInput`, `.wrongType`.
    public func set(_ value: EffectValue, for name: String) throws(EffectError) {
        let problem = state.withLock { state -> EffectError? in
            let effect = state.description.effect
            guard let index = state.description.index(of: name) else {
                return Self.unknown(name, effect)
            }
            guard Self.fits(value, effect.inputs[index].kind) else {
                return .wrongType(
                    effect: effect.name, input: name, expected: effect.inputs[index].kind)
            }
            if case .event = value {
                state.firedEvents.insert(index)
            } else if state.values[index] == value {
                return nil
            } else {
                state.values[index] = value
                state.pictureFiles[name] = nil
            }
            state.generation += 1
            return nil
        }
        if let problem { throw problem }
    }

    /// Sets an image that was read from a file. Presets and `assignments` then refer to the file.
    ///
    /// - Throws: `EffectError.unknownInput`, `.wrongType`.
    public func set(
        _ picture: PixelBuffer, readFrom path: String, for name: String
    ) throws(EffectError) {
        try set(.image(picture), for: name)
        state.withLock { $0.pictureFiles[name] = (path, picture) }
    }

    /// Returns the path of the file that an input's image was read from, or nil if it is not from a
    /// file.
    func picturePath(for name: String) -> String? {
        state.withLock { state in
            guard let index = state.description.index(of: name),
                let file = state.pictureFiles[name], state.values[index] == .image(file.picture)
            else { return nil }
            return file.path
        }
    }

    /// Sets the value of an input from text in the notation of the command line.
    ///
    /// - Throws: `EffectError.unknownInput`, `.wrongType`.
    public func set(parsing text: String, for name: String) throws(EffectError) {
        let effect = effect
        guard let input = effect.input(named: name) else { throw Self.unknown(name, effect) }
        guard let value = input.value(parsing: text) else {
            throw .wrongType(effect: effect.name, input: name, expected: input.kind)
        }
        try set(value, for: name)
    }

    /// Sets an input to a value that was read from a file. The value is converted to another
    /// numeric type if necessary.
    func set(converting value: EffectValue, for name: String) throws(EffectError) {
        let effect = effect
        guard let input = effect.input(named: name) else { throw Self.unknown(name, effect) }
        guard let value = input.value(converting: value) else {
            throw .wrongType(effect: effect.name, input: name, expected: input.kind)
        }
        try set(value, for: name)
    }

    /// Animates an input over the time of the item. The animation overrides the input's value. If
    /// `animation` is nil, removes the animation, so that the value applies again.
    ///
    /// - Throws: `EffectError.unknownInput`, `.wrongType`.
    public func set(_ animation: EffectAnimation?, for name: String) throws(EffectError) {
        let effect = effect
        guard let input = effect.input(named: name) else { throw Self.unknown(name, effect) }
        let keyframes = try animation?.keyframes.map { frame throws(EffectError) in
            guard input.kind != .event, !input.isSampler,
                let value = input.value(converting: frame.value)
            else {
                throw EffectError.wrongType(
                    effect: effect.name, input: name, expected: input.kind)
            }
            return EffectAnimation.Keyframe(at: frame.time, value, frame.interpolation)
        }
        state.withLock {
            $0.animations[name] = keyframes.map { EffectAnimation($0) }
            $0.generation += 1
        }
    }

    /// Returns the animation of an input, or nil if it has none.
    public func animation(for name: String) -> EffectAnimation? {
        state.withLock { $0.animations[name] }
    }

    /// A Boolean value that indicates whether any input is animated.
    var isAnimated: Bool { state.withLock { !$0.animations.isEmpty } }

    /// Sets every input to its default and removes all animations.
    public func reset() {
        state.withLock {
            $0.values = $0.description.effect.inputs.map(\.defaultValue)
            $0.remembered = [:]
            $0.pictureFiles = [:]
            $0.animations = [:]
            $0.generation += 1
        }
    }

    /// Restarts the effect with the next frame: persistent buffers are cleared and the frame
    /// counter is reset to 0. The values of inputs stay; `reset()` resets them.
    public func restart() {
        state.withLock {
            $0.restartCount += 1
            $0.generation += 1
        }
    }

    /// Presses or releases a key for effects that read the keyboard.
    ///
    /// - Parameter code: The code of the key in JavaScript's `KeyboardEvent.keyCode`.
    package func setKey(_ code: Int, isDown: Bool) {
        changeKeyboard { $0.set(code, isDown: isDown) }
    }

    /// Releases all keys. Call this when the window loses the focus.
    package func releaseKeys() { changeKeyboard { $0.releaseAll() } }

    private func changeKeyboard(_ change: (inout EffectKeyboard) -> Bool) {
        state.withLock {
            guard $0.description.effect.readsKeyboard, change(&$0.keyboard) else { return }
            $0.generation += 1
        }
    }

    /// The values that differ from their defaults, each as `name=value` in the notation of the
    /// command line.
    package var assignments: [String] {
        let effect = effect
        return effect.inputs.compactMap { input in
            guard let value = value(for: input.name), value != input.defaultValue,
                let text = picturePath(for: input.name) ?? input.text(of: value)
            else { return nil }
            return "\(input.name)=\(text)"
        }
    }

    /// The error that keeps the effect from being drawn, or nil. It becomes nil once the effect is
    /// drawn again.
    public var error: EffectError? { state.withLock { $0.error } }

    /// Reads the values of a pixel in the next frame, which slows that frame down. The result is in
    /// `probe`.
    ///
    /// - Parameter point: The point in fractions of the frame; (0, 0) is its lower left corner.
    package func probe(at point: SIMD2<Float>) {
        state.withLock {
            ($0.probePoint, $0.probe) = (point, nil)
            $0.generation += 1
        }
    }

    /// The values of the pixel that was probed last, or nil until its frame is drawn.
    package var probe: EffectProbe? { state.withLock { $0.probe } }

    func note(_ probe: EffectProbe) { state.withLock { $0.probe = probe } }

    /// The GPU times of the effect's passes in a recent frame, in nanoseconds. The array is empty
    /// if times are not measured or the effect is fused with others.
    package var passNanoseconds: [Int64] {
        get { state.withLock { $0.passNanoseconds } }
    }

    func note(passNanoseconds: [Int64]) {
        state.withLock { $0.passNanoseconds = passNanoseconds }
    }

    /// A counter that increases with every change, so that a renderer can detect whether it has to
    /// draw.
    package var generation: UInt64 { state.withLock { $0.generation } }

    /// Returns the values for one frame, at a time of the item. An event is returned in one
    /// snapshot only.
    func takeSnapshot(atSeconds seconds: Double) -> Snapshot {
        state.withLock {
            let fired = $0.firedEvents
            if !fired.isEmpty {
                $0.firedEvents = []
                // The event is over in the following frame, which has to be drawn too.
                $0.generation += 1
            }
            let probePoint = $0.probePoint
            if probePoint != nil {
                $0.probePoint = nil
                $0.generation += 1
            }
            var keyboard: EffectKeyboard?
            if $0.description.effect.readsKeyboard {
                keyboard = $0.keyboard
                // A key counts as pressed in one frame, and the following frame has to be drawn.
                if $0.keyboard.endFrame() { $0.generation += 1 }
            }
            var values = $0.values
            for (name, animation) in $0.animations {
                guard let index = $0.description.index(of: name) else { continue }
                let value = animation.value(atSeconds: seconds)
                if Self.fits(value, $0.description.effect.inputs[index].kind) {
                    values[index] = value
                }
            }
            return Snapshot(
                description: $0.description, values: values, firedEvents: fired,
                isEnabled: $0.isEnabled,
                sound: $0.sound, generation: $0.generation, restartCount: $0.restartCount,
                probePoint: probePoint, keyboard: keyboard)
        }
    }

    /// Records the error that keeps the effect from being drawn.
    ///
    /// - Returns: A Boolean value that indicates whether the error is new. An effect that is still
    ///   too slow has no new error, even if another pass is the slowest now.
    func note(_ error: EffectError?) -> Bool {
        state.withLock {
            let former = $0.error
            guard former != error else { return false }
            $0.error = error
            if case .tooSlow = former, case .tooSlow = error { return false }
            return error != nil
        }
    }

    private static func unknown(_ name: String, _ effect: Effect) -> EffectError {
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

extension EffectInstance.Description {
    func index(of name: String) -> Int? { effect.inputs.firstIndex { $0.name == name } }
}

extension EffectInstance.Snapshot {
    /// Returns the values for another version of the effect, matched by name and kind.
    func values(for other: EffectInstance.Description) -> EffectInstance.Snapshot {
        guard other !== description else { return self }
        var snapshot = self
        snapshot.description = other
        snapshot.firedEvents = []
        snapshot.values = other.effect.inputs.enumerated().map { place, input in
            guard let index = description.index(of: input.name),
                description.effect.inputs[index].kind == input.kind
            else { return input.defaultValue }
            if firedEvents.contains(index) { snapshot.firedEvents.insert(place) }
            return values[index]
        }
        return snapshot
    }
}
