// SPDX-License-Identifier: Apache-2.0

/// The values of a chain of effects, to be kept in a file: which effects, what their inputs are set to,
/// and what of it changes over the time of the film.
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
        /// Whether the effect is applied.
        public var isEnabled = true
        /// By the names of inputs; those that are not named have their defaults.
        public var values: [String: EffectValue] = [:]
        /// Pictures for inputs, by their paths, relative to the preset's folder; of other inputs what a
        /// command line would say, such as the label of a menu.
        public var pictures: [String: String] = [:]
        /// By the names of the inputs that they move.
        public var animations: [String: EffectAnimation] = [:]

        public init(effect: String) { self.effect = effect }
    }

    /// For people.
    public var name = ""
    /// First to last.
    public var entries: [Entry]
    /// The folder that paths are relative to; empty for the current one.
    public var folder = ""
    /// The text that it was read from; nil of one that was made.
    var origin: Origin?

    /// Where what a text says stands, for error reports.
    struct Origin: Sendable {
        let path: String
        let text: String

        /// JSON values do not know where they stand: the first line that has the name will do.
        func error(_ reason: String, at name: String? = nil) -> EffectError {
            let line = name.flatMap { name in
                ShaderText.lines(text).firstIndex {
                    ShaderText.firstRange(of: "\"\(name)\"", in: $0) != nil
                }
            }
            return .malformedHeader(
                path: path, line: (line ?? 0) + 1, column: nil, reason: reason)
        }

        /// An error of what the text names, with its place.
        func located(_ error: EffectError) -> EffectError {
            switch error {
            case .unknownInput(_, let name, _), .wrongType(_, let name, _), .notFound(let name, _):
                self.error(error.description, at: name)
            default: error
            }
        }
    }

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
    public func makeInstances(
        readPicture: EffectLibrary.PictureReader? = nil,
        load: (String) throws(EffectError) -> Effect
    ) throws(EffectError) -> [EffectInstance] {
        var instances: [EffectInstance] = []
        for entry in entries {
            do throws(EffectError) {
                instances.append(EffectInstance(try load(path(of: entry.effect))))
            } catch {
                throw origin?.located(error) ?? error
            }
        }
        try apply(to: instances, readPicture: readPicture)
        return instances
    }

    /// Sets a chain to it, all inputs that it does not name to their defaults.
    ///
    /// The chain's effects are found by their names, in their order; entries of others are left out.
    ///
    /// - Throws: `EffectError.unknownInput` and `.wrongType`, in place of which one that was read from a text
    ///   throws `.malformedHeader` with the line; `.inaccessible`.
    public func apply(
        to instances: [EffectInstance], readPicture: EffectLibrary.PictureReader? = nil
    ) throws(EffectError) {
        var rest = instances[...]
        for entry in entries {
            let name = EffectLibrary.name(ofPath: entry.effect)
            guard let index = rest.firstIndex(where: { $0.effect.name == name }) else { continue }
            do throws(EffectError) {
                try apply(entry, to: rest[index], readPicture)
            } catch {
                throw origin?.located(error) ?? error
            }
            rest = rest[(index + 1)...]
        }
    }

    private func apply(
        _ entry: Entry, to instance: EffectInstance, _ readPicture: EffectLibrary.PictureReader?
    ) throws(EffectError) {
        instance.reset()
        instance.isEnabled = entry.isEnabled
        for (name, value) in entry.values { try instance.set(converting: value, for: name) }
        for (name, animation) in entry.animations { try instance.set(animation, for: name) }
        for (name, path) in entry.pictures {
            if let input = instance.effect.input(named: name), !input.isSampler {
                guard let value = input.value(parsing: path) else {
                    throw .wrongType(
                        effect: instance.effect.name, input: name, expected: input.kind)
                }
                try instance.set(value, for: name)
                continue
            }
            guard let readPicture else { continue }
            do {
                let path = self.path(ofPicture: path)
                try instance.set(readPicture(path), readFrom: path, for: name)
            } catch let error as EffectError {
                throw error
            } catch {
                throw .inaccessible(path: path, line: nil, reason: "cannot be read: \(error)")
            }
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
