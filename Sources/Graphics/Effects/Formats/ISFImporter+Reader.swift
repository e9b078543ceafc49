// SPDX-License-Identifier: Apache-2.0

import PlayheadJSON

extension ISFImporter {
    /// Reads the keys of a header.
    struct Reader {
        let header: JSONValue
        let path: String
        /// The text of the header and the number of its first line.
        let text: String
        let line: Int

        /// Returns an error about the header.
        ///
        /// - Parameter value: The text that causes the error. The line in which it starts is
        ///   reported.
        func malformed(_ reason: String, at value: String? = nil) -> EffectError {
            .malformedHeader(
                path: path, line: value.map { line(of: $0) } ?? line, column: nil, reason: reason)
        }

        /// Returns the line of a string, or the first line of the header if the string does not
        /// occur.
        ///
        /// - Parameters:
        ///   - key: The key of the string, which distinguishes equal strings.
        ///   - isLast: A Boolean value that indicates whether to return the line of the last of
        ///     several equal strings.
        func line(of value: String, key: String? = nil, isLast: Bool = false) -> Int {
            let quoted = Array("\"\(value)\"".utf8)
            let bytes = Array(text.utf8)
            let last = bytes.count - quoted.count
            func isKey(before place: Int) -> Bool {
                guard let key else { return true }
                var before = bytes[..<place].lazy.reversed().filter { !ShaderText.isSpace($0) }
                    .makeIterator()
                return "\"\(key)\":".utf8.reversed().allSatisfy { before.next() == $0 }
            }
            func isPlace(_ place: Int) -> Bool {
                bytes[place] == quoted[0]
                    && bytes[place..<place + quoted.count].elementsEqual(quoted)
                    && isKey(before: place)
            }
            guard last >= 0,
                let place = isLast
                    ? (0...last).last(where: isPlace) : (0...last).first(where: isPlace)
            else { return line }
            return line + ShaderText.line(at: place, in: bytes) - 1
        }

        /// Checks a name that the shader declares.
        ///
        /// - Parameters:
        ///   - what: The thing that has the name, for error reports.
        ///   - key: The key whose value is the name, or nil if the name is itself a key.
        func requireName(
            _ name: String?, _ what: String, key: String?
        ) throws(EffectError) -> String {
            guard let name, Self.isIdentifier(name) else {
                throw malformed("\(what) must be a GLSL identifier", at: name)
            }
            guard !ShaderWords.reserved.contains(name), !ReservedNames.declared.contains(name)
            else {
                let owner = ShaderWords.reserved.contains(name) ? "GLSL" : "every ISF shader"
                throw .malformedHeader(
                    path: path, line: line(of: name, key: key), column: nil,
                    reason: "\(what) cannot be '\(name)', which \(owner) already declares")
            }
            return name
        }

        func requirements() throws(EffectError) -> Effect.Requirements {
            var requirements = Effect.Requirements()
            guard let key = header["PLAYHEAD"] else { return requirements }
            requirements.sourceSize = try flag("SOURCE_SIZE", in: key)
            if let range = key["RANGE"] {
                guard range.string == "any" else {
                    throw malformed("RANGE must be 'any'", at: "RANGE")
                }
                requirements.anyRange = true
            }
            if let written = key["ALPHA"] {
                guard let alpha = written.string.flatMap(Effect.Alpha.init) else {
                    throw malformed(
                        "ALPHA must be 'straight', 'premultiplied' or 'keeps-opaque'", at: "ALPHA")
                }
                requirements.alpha = alpha
            }
            return requirements
        }

        /// Returns the Boolean value of the first key that exists, or false if no key exists.
        private func flag(_ keys: String..., in objects: JSONValue?...) throws(EffectError) -> Bool
        {
            for object in objects {
                for key in keys {
                    guard let value = object?[key], !value.isNull else { continue }
                    guard let flag = value.bool else {
                        throw malformed("\(key) must be true or false", at: key)
                    }
                    return flag
                }
            }
            return false
        }

        /// Returns the imported images and the cube maps. `IMPORTED` is an object with their names
        /// as keys or, in files of some hosts, an array like `INPUTS`.
        func importedImages() throws(EffectError) -> (
            images: [Effect.ImportedImage], cubeMaps: [EffectCubeMap]
        ) {
            var entries: [(name: String?, value: JSONValue)] = []
            let isNamed = header["IMPORTED"]?.object == nil
            if isNamed {
                entries = try list("IMPORTED").map { ($0["NAME"]?.string, $0) }
            } else {
                entries = (header["IMPORTED"]?.object ?? [:]).map { ($0.key, $0.value) }
            }
            guard entries.count <= SourceLimits.inputs else {
                throw .beyondLimit(
                    path: path, line: line(of: "IMPORTED"),
                    reason:
                        "it imports \(entries.count) images; the maximum is \(SourceLimits.inputs)")
            }
            var images: [Effect.ImportedImage] = []
            var cubeMaps: [EffectCubeMap] = []
            for (name, value) in entries {
                let name = try requireName(
                    name, "the name of an imported image", key: isNamed ? "NAME" : nil)
                if value["TYPE"]?.string == "cube" {
                    let paths = try list("PATH", in: value).compactMap(\.string)
                    guard paths.count == 6 else {
                        throw malformed(
                            "the cube map '\(name)' must have a PATH with six files, in the order "
                                + "+x, -x, +y, -y, +z, -z", at: name)
                    }
                    // Shaders cannot use these names, because GLSL reserves "__".
                    let faces = (0..<6).map { "\(name)__\($0)" }
                    cubeMaps.append(EffectCubeMap(name: name, faces: faces))
                    for (face, path) in zip(faces, paths) {
                        images.append(
                            Effect.ImportedImage(name: face, path: path, line: line(of: path)))
                    }
                    continue
                }
                guard let path = value["PATH"]?.string else {
                    throw malformed(
                        "the imported image '\(name)' must have a PATH to one file, or TYPE 'cube' "
                            + "and a PATH with six files", at: name)
                }
                images.append(Effect.ImportedImage(name: name, path: path, line: line(of: path)))
            }
            return (
                images.sorted { $0.name < $1.name }, cubeMaps.sorted { $0.name < $1.name }
            )
        }

        /// Returns the elements of the array under a key; empty if the key does not exist.
        func list(
            _ key: String, in json: JSONValue? = nil
        ) throws(EffectError) -> [JSONValue] {
            switch (json ?? header)[key] {
            case nil, .null: return []
            case .array(let elements): return elements
            // Some hosts write an empty object in place of an empty array.
            case .object(let members) where members.isEmpty: return []
            default: throw malformed("\(key) must be an array", at: key)
            }
        }

        /// Throws an error if two things have the same name, because the shader would declare both.
        func requireDistinct(
            _ inputs: [EffectInput], _ images: [String], _ passes: [EffectPass]
        ) throws(EffectError) {
            // Two passes may draw to the same image, so each target is checked once.
            let targets = Set(passes.compactMap(\.target)).sorted()
            var names = Set(inputs.map(\.name))
            for name in images + targets where !names.insert(name).inserted {
                let key = targets.contains(name) ? "TARGET" : nil
                throw .malformedHeader(
                    path: path, line: line(of: name, key: key), column: nil,
                    reason: "two images or inputs have the name '\(name)'")
            }
        }

        func passes(inputs: [EffectInput]) throws(EffectError) -> [EffectPass] {
            let numbers = Set(
                inputs.lazy.filter { [.float, .long, .bool].contains($0.kind) }.map(\.name))
            let isKnown = { (name: String) in
                name == "WIDTH" || name == "HEIGHT" || numbers.contains(name)
            }
            let list = try self.list("PASSES")
            guard list.count <= SourceLimits.passes else {
                throw .beyondLimit(
                    path: path, line: line,
                    reason: "it has \(list.count) passes; the maximum is \(SourceLimits.passes)")
            }
            let persistent = persistentBuffersOfVersion1()
            var passes: [EffectPass] = []
            for value in list {
                guard value.object != nil else {
                    throw malformed("PASSES must contain objects", at: "PASSES")
                }
                if let target = value["TARGET"], !target.isNull, target.string == nil {
                    throw malformed("a pass's TARGET must be a string", at: "TARGET")
                }
                let target = value["TARGET"]?.string.flatMap { $0.isEmpty ? nil : $0 }
                if let target { _ = try requireName(target, "a pass's TARGET", key: "TARGET") }
                let old = target.flatMap { persistent[$0] }
                let isPersistent =
                    try flag("PERSISTENT", "persistent", in: value)
                let condition = try size(value["WHEN"], isKnown)
                if condition != nil, target == nil {
                    throw malformed("a pass with WHEN must have a TARGET", at: "WHEN")
                }
                let isFloat =
                    try flag("FLOAT", "float", in: value, old)
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

        /// Returns the persistent buffers of version 1, which lists them separately: an array of
        /// names, or an object with the names as keys.
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
            case .string(let string): text = string
            case nil, .null: return nil
            default:
                throw malformed(
                    "the size of a pass must be a number or an expression", at: "PASSES")
            }
            guard !text.isEmpty else { return nil }
            do throws(SizeExpression.ParseError) {
                return try SizeExpression(text, isKnown: isKnown)
            } catch {
                throw malformed(error.description, at: text)
            }
        }

        private static func isIdentifier(_ name: String) -> Bool {
            guard let first = name.utf8.first, !ShaderText.isDigit(first) else { return false }
            // Names with this prefix are reserved for OpenGL.
            return !name.hasPrefix("gl_") && name.utf8.allSatisfy(ShaderText.isWord)
        }
    }
}
