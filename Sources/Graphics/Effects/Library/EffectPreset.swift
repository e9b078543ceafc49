// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// The values of a chain of effects, to be kept in a file: which effects, what their inputs are set
/// to, and what of it changes over the time of the film.
///
/// ```swift
/// let preset = try EffectPreset(path: "warm.json")
/// let chain = try preset.makeInstances { try EffectLibrary.load($0) }
/// try EffectPreset(of: chain, name: "Warmer").json.write(toFile: "warmer.json", …)
/// ```
///
/// - Concurrency: a value; any thread.
public struct EffectPreset: Sendable, Equatable {
    /// One effect of the chain.
    public struct Entry: Sendable, Equatable {
        /// A built-in name, or the path of a file, relative to the preset's folder.
        public var effect: String
        /// A Boolean value that indicates whether the effect is applied.
        public var isEnabled = true
        /// By the names of inputs; those that are not named have their defaults.
        public var values: [String: EffectValue] = [:]
        /// Pictures for inputs, by their paths, relative to the preset's folder; of other inputs
        /// what a command line would say, such as the label of a menu.
        public var pictures: [String: String] = [:]
        /// By the names of the inputs that they move.
        public var animations: [String: EffectAnimation] = [:]

        /// Creates an entry of an effect at its default values.
        public init(effect: String) { self.effect = effect }
    }

    /// The text for users.
    public var name = ""
    /// First to last.
    public var entries: [Entry]
    /// The folder that paths are relative to; empty for the current one.
    package var folder = ""
    /// The text that it was read from; nil of one that was made.
    var origin: Origin?

    /// Creates a preset of entries, in the order in which they are applied.
    public init(name: String = "", entries: [Entry]) {
        self.name = name
        self.entries = entries
    }

    /// What effects are set to now; of pictures those that were read from files
    /// (`EffectInstance.set(_:readFrom:for:)`).
    public init(of instances: [EffectInstance], name: String = "") {
        self.name = name
        entries = instances.map { instance in
            let effect = instance.effect
            var entry = Entry(
                effect: EffectLibrary.builtInNames.contains(effect.name)
                    && effect.path == effect.name + ".fs" ? effect.name : effect.path)
            entry.isEnabled = instance.isEnabled
            for input in effect.inputs where input.kind == .image {
                entry.pictures[input.name] = instance.picturePath(for: input.name)
            }
            for input in effect.inputs where !input.isSampler && input.kind != .event {
                if let value = instance.value(for: input.name), value != input.defaultValue {
                    entry.values[input.name] = value
                }
                entry.animations[input.name] = instance.animation(for: input.name)
            }
            return entry
        }
    }

    /// Reads a preset's file.
    ///
    /// - Throws: `EffectError.unreadable`, `.malformedHeader` with the place where it is no preset.
    public init(path: String) throws(EffectError) {
        try self.init(json: try EffectFolder.text(of: path), path: path)
    }

    /// The chain that it is of.
    ///
    /// - Parameters:
    ///   - load: an effect by its name or path.
    ///   - readPicture: nil to leave pictures as they are.
    /// - Throws: what `load` and `apply(to:readPicture:)` throw.
    package func makeInstances(
        readPicture: EffectLibrary.PictureReader? = nil,
        load: (String) throws(EffectError) -> Effect
    ) throws(EffectError) -> [EffectInstance] {
        var instances: [EffectInstance] = []
        for (index, entry) in entries.enumerated() {
            let path = path(of: entry.effect)
            do throws(EffectError) {
                instances.append(EffectInstance(try load(path)))
            } catch {
                throw origin?.located(error, ofEffect: path, index, entry) ?? error
            }
        }
        try apply(to: instances, readPicture: readPicture)
        return instances
    }

    /// Sets a chain to it, all inputs that it does not name to their defaults.
    ///
    /// The chain's effects are found by their names, in their order; entries of others are left
    /// out.
    ///
    /// - Throws: `EffectError.unknownInput` and `.wrongType`, in place of which one that was read
    ///   from a text throws `.malformedHeader` with the line; `.inaccessible`. Nothing has been set
    ///   then.
    package func apply(
        to instances: [EffectInstance], readPicture: EffectLibrary.PictureReader? = nil
    ) throws(EffectError) {
        // Pictures are read once, for the trial.
        var pictures: [String: PixelBuffer] = [:]
        let reader: EffectLibrary.PictureReader? = readPicture.map { read in
            { path in
                if let picture = pictures[path] { return picture }
                let picture = try read(path)
                pictures[path] = picture
                return picture
            }
        }
        try set(instances.map { EffectInstance($0.effect) }, reader)
        try set(instances, reader)
    }

    private func set(
        _ instances: [EffectInstance], _ readPicture: EffectLibrary.PictureReader?
    ) throws(EffectError) {
        var rest = instances[...]
        for (index, entry) in entries.enumerated() {
            let name = EffectName.name(ofPath: entry.effect)
            guard let place = rest.firstIndex(where: { $0.effect.name == name }) else { continue }
            try apply(entry, index, to: rest[place], readPicture)
            rest = rest[(place + 1)...]
        }
    }

    private func apply(
        _ entry: Entry, _ index: Int, to instance: EffectInstance,
        _ readPicture: EffectLibrary.PictureReader?
    ) throws(EffectError) {
        instance.reset()
        instance.isEnabled = entry.isEnabled
        let names = Set(entry.values.keys).union(entry.animations.keys).union(entry.pictures.keys)
        // In the text's order, so that of several mistakes the first is told.
        for name in origin?.ordered(names, index, entry) ?? names.sorted() {
            do throws(EffectError) {
                if let value = entry.values[name] {
                    try instance.set(converting: value, for: name)
                }
                if let animation = entry.animations[name] {
                    try instance.set(animation, for: name)
                }
                if let path = entry.pictures[name] {
                    try set(path, for: name, of: instance, readPicture)
                }
            } catch {
                throw origin?.located(error, ofInput: name, index, entry) ?? error
            }
        }
    }

    /// Sets an input to what a string stands for: a picture, or what a command line would say.
    private func set(
        _ text: String, for name: String, of instance: EffectInstance,
        _ readPicture: EffectLibrary.PictureReader?
    ) throws(EffectError) {
        if let input = instance.effect.input(named: name), !input.isSampler {
            guard let value = input.value(parsing: text) else {
                throw .wrongType(
                    effect: instance.effect.name, input: name, expected: input.kind)
            }
            try instance.set(value, for: name)
            return
        }
        guard let readPicture else { return }
        let path = self.path(ofPicture: text)
        do {
            try instance.set(readPicture(path), readFrom: path, for: name)
        } catch let error as EffectError {
            throw error
        } catch {
            throw .unreadable(path: path, reason: "\(error)")
        }
    }

    /// Presets are the same when they set the same, wherever they were read.
    public static func == (left: EffectPreset, right: EffectPreset) -> Bool {
        left.name == right.name && left.entries == right.entries && left.folder == right.folder
    }

    /// A path as others than the preset see it; names of built-in effects stay.
    private func path(of name: String) -> String {
        let isPath = name.contains("/") || name.contains(".")
        return isPath ? path(ofPicture: name) : name
    }

    private func path(ofPicture path: String) -> String {
        path.hasPrefix("/") || folder.isEmpty ? path : folder + "/" + path
    }
}

extension EffectInput {
    /// A value as this kind of input takes it: JSON knows no difference between whole numbers and
    /// others, nor between three numbers and a colour. Nil where there is no such value.
    func value(converting value: EffectValue) -> EffectValue? {
        switch (kind, value) {
        case (.bool, .bool), (.float, .float), (.point2D, .point2D), (.color, .color),
            (.long, .long), (.image, .image), (.event, .event):
            value
        case (.long, .float(let number)) where number.magnitude < 2e9:
            .long(Int32(number.rounded()))
        case (.bool, .float(let number)): .bool(number != 0)
        case (.float, .long(let number)): .float(Float(number))
        default: nil
        }
    }
}
