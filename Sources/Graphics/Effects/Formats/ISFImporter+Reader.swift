// SPDX-License-Identifier: Apache-2.0

extension ISFImporter {
    /// Reads a header's keys.
    struct Reader {
        let header: JSONValue
        let path: String
        /// The header's text and the line that it begins in.
        let text: String
        let line: Int

        /// - Parameter value: what is wrong: the line that it first stands in is named.
        private func malformed(_ reason: String, at value: String? = nil) -> EffectError {
            .malformedHeader(
                path: path, line: value.map { line(of: $0) } ?? line, column: nil, reason: reason)
        }

        /// The line in which a text stands as a string; the header's first where it does not.
        ///
        /// - Parameter key: what it is the value of, where other strings may be the same.
        private func line(of value: String, key: String? = nil) -> Int {
            let quoted = Array("\"\(value)\"".utf8)
            let bytes = Array(text.utf8)
            let last = bytes.count - quoted.count
            func isKey(before place: Int) -> Bool {
                guard let key else { return true }
                var before = bytes[..<place].lazy.reversed().filter { !ShaderText.isSpace($0) }
                    .makeIterator()
                return "\"\(key)\":".utf8.reversed().allSatisfy { before.next() == $0 }
            }
            guard last >= 0,
                let place = (0...last).first(where: {
                    bytes[$0] == quoted[0]
                        && bytes[$0..<$0 + quoted.count].elementsEqual(quoted) && isKey(before: $0)
                })
            else { return line }
            return line + ShaderText.line(at: place, in: bytes) - 1
        }

        /// A name that the shader declares.
        ///
        /// - Parameters:
        ///   - what: whose name it is.
        ///   - key: what it is the value of; nil where it is a key itself.
        private func requireName(
            _ name: String?, _ what: String, key: String?
        ) throws(EffectError) -> String {
            guard let name, Self.isIdentifier(name) else {
                throw malformed("\(what) must be a GLSL identifier", at: name)
            }
            guard !ShaderWords.reserved.contains(name), !EffectSource.ownNames.contains(name)
            else {
                let owner = ShaderWords.reserved.contains(name) ? "GLSL" : "every ISF shader"
                throw .malformedHeader(
                    path: path, line: line(of: name, key: key), column: nil,
                    reason: "\(what) cannot be '\(name)': \(owner) has that word already")
            }
            return name
        }

        func requirements() -> Effect.Requirements {
            var requirements = Effect.Requirements()
            let key = header["PLAYHEAD"]
            requirements.nativeChroma = key?["NATIVE_CHROMA"]?.bool ?? false
            requirements.sourceSize = key?["SOURCE_SIZE"]?.bool ?? false
            requirements.anyRange = key?["RANGE"]?.string == "any"
            requirements.alpha = (key?["ALPHA"]?.string).flatMap(Effect.Alpha.init) ?? .straight
            return requirements
        }

        /// Pictures by their names; hosts also write them as inputs are written, in an array.
        func importedImages() throws(EffectError) -> [Effect.ImportedImage] {
            var entries: [(name: String?, value: JSONValue)] = []
            let isNamed = header["IMPORTED"]?.object == nil
            if isNamed {
                entries = try list("IMPORTED").map { ($0["NAME"]?.string, $0) }
            } else {
                entries = (header["IMPORTED"]?.object ?? [:]).map { ($0.key, $0.value) }
            }
            guard entries.count <= Limits.inputs else {
                throw .beyondLimit(
                    path: path, line: line(of: "IMPORTED"),
                    reason: "it imports \(entries.count) pictures; \(Limits.inputs) are possible")
            }
            var images: [Effect.ImportedImage] = []
            for (name, value) in entries {
                let name = try requireName(
                    name, "the name of an imported picture", key: isNamed ? "NAME" : nil)
                guard let path = value["PATH"]?.string, value["TYPE"]?.string != "cube" else {
                    throw malformed(
                        "the imported picture '\(name)' must have a PATH, of one file; "
                            + "TYPE 'cube' is not supported", at: name)
                }
                images.append(Effect.ImportedImage(name: name, path: path, line: line(of: path)))
            }
            return images.sorted { $0.name < $1.name }
        }

        /// The elements of what must be an array, if it is there.
        private func list(_ key: String) throws(EffectError) -> [JSONValue] {
            switch header[key] {
            case nil, .null: return []
            case .array(let elements): return elements
            // What other hosts write where there is nothing.
            case .object(let members) where members.isEmpty: return []
            default: throw malformed("\(key) must be an array", at: key)
            }
        }

        /// Refuses two things of one name: the shader would declare both.
        func requireDistinct(
            _ inputs: [EffectInput], _ images: [Effect.ImportedImage], _ passes: [EffectPass]
        ) throws(EffectError) {
            // Passes may draw the same picture one after the other.
            let targets = Set(passes.compactMap(\.target)).sorted()
            var names = Set(inputs.map(\.name))
            for name in images.map(\.name) + targets where !names.insert(name).inserted {
                let key = targets.contains(name) ? "TARGET" : nil
                throw .malformedHeader(
                    path: path, line: line(of: name, key: key), column: nil,
                    reason: "there are two pictures or inputs '\(name)'")
            }
        }

        func inputs() throws(EffectError) -> [EffectInput] {
            var inputs: [EffectInput] = []
            for value in try list("INPUTS") {
                let name = try requireName(
                    value["NAME"]?.string, "an input's NAME", key: "NAME")
                let type = value["TYPE"]?.string ?? "nothing"
                guard let kind = EffectInput.Kind(rawValue: type) else {
                    throw malformed(
                        "input '\(name)' has TYPE '\(type)'; types are "
                            + EffectInput.Kind.allCases.map(\.rawValue).joined(separator: ", "),
                        at: name)
                }
                guard inputs.count < Limits.inputs else {
                    throw .beyondLimit(
                        path: path, line: line(of: name),
                        reason: "it has more than \(Limits.inputs) inputs")
                }
                guard !inputs.contains(where: { $0.name == name }) else {
                    throw malformed("there are two inputs '\(name)'", at: name)
                }
                inputs.append(input(name: name, kind: kind, value))
            }
            return inputs
        }

        private func input(
            name: String, kind: EffectInput.Kind, _ json: JSONValue
        ) -> EffectInput {
            let values = (json["VALUES"]?.array ?? []).compactMap(\.number)
            let labels = (json["LABELS"]?.array ?? []).compactMap(\.string)
            let choices = values.enumerated().map { index, value in
                EffectInput.Choice(
                    value: Self.integer(value),
                    label: labels.indices.contains(index)
                        ? labels[index] : "\(Self.integer(value))")
            }
            var input = EffectInput(
                name: name, kind: kind,
                defaultValue: json["DEFAULT"].flatMap { Self.value($0, kind) })
            if kind == .long, json["DEFAULT"] == nil, let first = choices.first {
                input.defaultValue = .long(first.value)
            }
            input.label = json["LABEL"]?.string ?? name
            input.group = json["GROUP"]?.string ?? ""
            input.minimum = json["MIN"].flatMap { Self.value($0, kind) }
            input.maximum = json["MAX"].flatMap { Self.value($0, kind) }
            if kind == .float { input.defaultValue = Self.defaultNumber(json) }
            input.identity = json["IDENTITY"].flatMap { Self.value($0, kind) }
            input.choices = choices
            input.sampleCount = Self.sampleCount(json, kind)
            return input
        }

        /// As VVISF has it, which the format's authors write: where there is no default it is the middle of
        /// the range, and of 0 to 1 where there is no range; no default is beyond its range.
        private static func defaultNumber(_ json: JSONValue) -> EffectValue {
            let written = json["DEFAULT"]?.number
            guard let minimum = json["MIN"]?.number, let maximum = json["MAX"]?.number else {
                return .float(Float(written ?? 0.5))
            }
            guard let written else { return .float(Float(minimum + (maximum - minimum) / 2)) }
            // Of a range that is none there is no beyond.
            guard minimum <= maximum else { return .float(Float(written)) }
            return .float(Float(min(max(written, minimum), maximum)))
        }

        /// Longest row of samples: any OpenGL has textures as wide.
        private static let mostSamples = 4096.0

        private static func sampleCount(_ json: JSONValue, _ kind: EffectInput.Kind) -> Int? {
            guard kind == .audio || kind == .audioFFT, let number = json["MAX"]?.number,
                number >= 1
            else { return nil }
            return Int(min(number, mostSamples))
        }

        /// The nearest number that GLSL's `int` holds.
        private static func integer(_ number: Double) -> Int32 {
            Int32(min(max(number.rounded(), Double(Int32.min)), Double(Int32.max)))
        }

        private static func value(_ json: JSONValue, _ kind: EffectInput.Kind) -> EffectValue? {
            switch kind {
            case .bool: return json.bool.map { .bool($0) }
            case .long: return json.number.map { .long(integer($0)) }
            case .float: return json.number.map { .float(Float($0)) }
            case .point2D:
                guard let numbers = json.numbers, numbers.count >= 2 else { return nil }
                return .point2D([numbers[0], numbers[1]])
            case .color:
                guard let numbers = json.numbers, numbers.count >= 3 else { return nil }
                return .color([
                    numbers[0], numbers[1], numbers[2], numbers.count > 3 ? numbers[3] : 1,
                ])
            case .event, .image, .audio, .audioFFT: return nil
            }
        }

        func passes(inputs: [EffectInput]) throws(EffectError) -> [EffectPass] {
            let numbers = Set(
                inputs.lazy.filter { [.float, .long, .bool].contains($0.kind) }.map(\.name))
            let isKnown = { (name: String) in
                name == "WIDTH" || name == "HEIGHT" || numbers.contains(name)
            }
            let list = try self.list("PASSES")
            guard list.count <= Limits.passes else {
                throw .beyondLimit(
                    path: path, line: line,
                    reason: "it has \(list.count) passes; \(Limits.passes) are possible")
            }
            let persistent = persistentBuffersOfVersion1()
            var passes: [EffectPass] = []
            for value in list {
                let target = value["TARGET"]?.string.flatMap { $0.isEmpty ? nil : $0 }
                if let target { _ = try requireName(target, "a pass's TARGET", key: "TARGET") }
                let old = target.flatMap { persistent[$0] }
                let isPersistent = (value["PERSISTENT"] ?? value["persistent"])?.bool ?? false
                let condition = try size(value["WHEN"], isKnown)
                if condition != nil, target == nil {
                    throw malformed("a pass with WHEN must have a TARGET", at: "WHEN")
                }
                let isFloat = (value["FLOAT"] ?? value["float"] ?? old?["FLOAT"])?.bool ?? false
                var pass = EffectPass(
                    target: target, isPersistent: target != nil && (isPersistent || old != nil),
                    precision: isFloat ? .float : .eightBit,
                    width: try size(value["WIDTH"] ?? old?["WIDTH"], isKnown),
                    height: try size(value["HEIGHT"] ?? old?["HEIGHT"], isKnown),
                    condition: condition)
                pass.summary = value["DESCRIPTION"]?.string ?? ""
                passes.append(pass)
            }
            return passes.isEmpty ? [EffectPass()] : passes
        }

        /// Version 1 lists persistent buffers apart: an array of names, or an object by name.
        private func persistentBuffersOfVersion1() -> [String: JSONValue] {
            let value = header["PERSISTENT_BUFFERS"]
            if let object = value?.object { return object }
            let names = (value?.array ?? []).compactMap(\.string)
            return Dictionary(
                names.map { ($0, JSONValue.object([:])) }, uniquingKeysWith: { first, _ in first })
        }

        private func size(
            _ json: JSONValue?, _ isKnown: (String) -> Bool
        ) throws(EffectError) -> SizeExpression? {
            let text: String
            switch json {
            case .number(let number): text = "\(number)"
            case .string(let string) where !string.isEmpty: text = string
            default: return nil
            }
            do throws(SizeExpression.ParseError) {
                return try SizeExpression(text, isKnown: isKnown)
            } catch {
                throw malformed(error.description, at: text)
            }
        }

        private static func isIdentifier(_ name: String) -> Bool {
            guard let first = name.utf8.first, !ShaderText.isDigit(first) else { return false }
            // What begins so is OpenGL's.
            return !name.hasPrefix("gl_") && name.utf8.allSatisfy(ShaderText.isWord)
        }
    }
}
