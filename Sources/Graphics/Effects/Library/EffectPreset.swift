// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// The state of a chain of effects that can be saved to a file: the effects, the values of their
/// inputs and their animations.
///
/// ```swift
/// let preset = try EffectPreset(path: "warm.json")
/// let chain = try preset.makeInstances()
/// try EffectPreset(of: chain, name: "Warmer").json.write(toFile: "warmer.json", …)
/// ```
///
/// - Concurrency: a value; any thread.
public struct EffectPreset: Sendable, Equatable {
    /// An effect of the chain.
    public struct Entry: Sendable, Equatable {
        /// The name of a built-in effect or the path of a file, relative to the preset's folder.
        public var effect: String
        /// A Boolean value that indicates whether the effect is applied.
        public var isEnabled = true
        /// The values by the names of inputs. Other inputs have their defaults.
        public var values: [String: EffectValue] = [:]
        /// The values that are text, by the names of inputs. For an image input, the text is a path
        /// relative to the preset's folder. For other inputs, it is a value in the notation of the
        /// command line, such as the label of a menu item.
        public var pictures: [String: String] = [:]
        /// The animations by the names of inputs.
        public var animations: [String: EffectAnimation] = [:]

        /// Creates an entry for an effect with its default values.
        public init(effect: String) { self.effect = effect }
    }

    /// The name for users.
    public var name = ""
    /// The effects in the order in which they are applied.
    public var entries: [Entry]
    /// The folder to which paths are relative; empty for the current folder.
    package var folder = ""
    /// The text from which the preset was parsed, or nil if it was created otherwise.
    var origin: Origin?

    /// Creates a preset of entries, in the order in which they are applied.
    public init(name: String = "", entries: [Entry]) {
        self.name = name
        self.entries = entries
    }

    /// Creates a preset from the current values of effects. Images are included if they were read
    /// from files (`EffectInstance.set(_:readFrom:for:)`).
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

    /// Reads a preset from a file.
    ///
    /// - Throws: `EffectError.unreadable`, or `.malformedHeader` with the place of the error.
    public init(path: String) throws(EffectError) {
        try self.init(json: try EffectFolder.text(of: path), path: path)
    }

    /// Creates the chain of the preset.
    ///
    /// - Parameters:
    ///   - load: Returns an effect by its name or path.
    ///   - readPicture: Reads image files; if nil, image inputs keep their values.
    /// - Throws: The errors of `load` and `apply(to:readPicture:)`.
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

    /// Applies the preset to a chain. Inputs that the preset does not name are set to their
    /// defaults.
    ///
    /// The effects of the chain are matched by name, in order. Entries without a match are skipped.
    ///
    /// - Throws: `EffectError.unknownInput`, `.wrongType` or `.inaccessible`. If the preset was
    ///   parsed from text, the first two are replaced by `.malformedHeader` with the line. If an
    ///   error is thrown, nothing is changed.
    package func apply(
        to instances: [EffectInstance], readPicture: EffectLibrary.PictureReader? = nil
    ) throws(EffectError) {
        // Images are read once, before anything is changed.
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
        // Values are set in the order of the text, so that the first of several errors is reported.
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

    /// Sets an input from a string: the path of an image, or a value in the notation of the command
    /// line.
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

    /// Returns whether two presets set the same values, wherever they were read from.
    public static func == (left: EffectPreset, right: EffectPreset) -> Bool {
        left.name == right.name && left.entries == right.entries && left.folder == right.folder
    }

    /// Returns a path relative to the current folder; the name of a built-in effect is returned as
    /// it is.
    private func path(of name: String) -> String {
        let isPath = name.contains("/") || name.contains(".")
        return isPath ? path(ofPicture: name) : name
    }

    private func path(ofPicture path: String) -> String {
        path.hasPrefix("/") || folder.isEmpty ? path : folder + "/" + path
    }
}

extension EffectInput {
    /// Converts a value to the type of the input; returns nil if that is impossible. The conversion
    /// is needed because JSON does not distinguish integers from other numbers, or colours from
    /// other arrays.
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
