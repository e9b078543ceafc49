// SPDX-License-Identifier: Apache-2.0

import PlayheadJSON

extension EffectPreset {
    /// The positions of values in the preset's text, for error reports.
    struct Origin: Sendable {
        let path: String
        let places: JSONPlaces
        /// The effects that the text names, in order.
        var effects: [String] = []

        func error(_ reason: String, at place: [String]) -> EffectError {
            .malformedHeader(path: path, line: places.line(of: place), column: nil, reason: reason)
        }

        /// Adds the line of the preset that names an effect to an error about the effect, unless
        /// the error is in the effect's own file.
        ///
        /// - Parameter file: The path of the effect as it was loaded.
        func located(
            _ error: EffectError, ofEffect file: String, _ index: Int, _ entry: Entry
        ) -> EffectError {
            let place = place(of: entry, index) + ["effect"]
            switch error {
            case .notFound: return self.error(error.description, at: place)
            case .unreadable(file, let reason): return unreadable(file, reason, at: place)
            default: return error
            }
        }

        /// Adds the line of the preset that sets an input to an error about the input's value,
        /// unless the error is in an image file.
        func located(
            _ error: EffectError, ofInput name: String, _ index: Int, _ entry: Entry
        ) -> EffectError {
            let place = place(of: name, index, entry)
            switch error {
            case .unknownInput, .wrongType: return self.error(error.description, at: place)
            case .unreadable(let file, let reason): return unreadable(file, reason, at: place)
            default: return error
            }
        }

        private func unreadable(_ file: String, _ reason: String, at place: [String]) -> EffectError
        {
            .inaccessible(
                path: path, line: places.line(of: place),
                reason: "'\(file)' cannot be read: \(reason)")
        }

        /// Returns the names of inputs in the order in which the entry's text sets them.
        func ordered(_ names: Set<String>, _ index: Int, _ entry: Entry) -> [String] {
            names.map { (line: places.line(of: place(of: $0, index, entry)), name: $0) }
                .sorted { $0 < $1 }.map(\.name)
        }

        private func place(of name: String, _ index: Int, _ entry: Entry) -> [String] {
            let place = place(of: entry, index)
            let isValue = places.contains(place + ["values", name])
            return place + [isValue ? "values" : "keyframes", name]
        }

        /// Returns the position of an entry. Entries may have been moved since the text was parsed.
        private func place(of entry: Entry, _ index: Int) -> [String] {
            let isThere = effects.indices.contains(index) && effects[index] == entry.effect
            guard let place = isThere ? index : effects.firstIndex(of: entry.effect) else {
                return []
            }
            return ["effects", "\(place)"]
        }

        /// Throws an error for unknown members, which would otherwise be ignored without a message.
        func check(
            _ value: JSONValue, _ place: [String], _ owner: String, _ known: [String]
        ) throws(EffectError) {
            let names = (value.object ?? [:]).keys.filter { !known.contains($0) }
            guard
                let name = names.min(by: {
                    (places.line(of: place + [$0]), $0) < (places.line(of: place + [$1]), $1)
                })
            else { return }
            throw error(
                "\(owner) has no \"\(name)\"; it has \(known.joined(separator: ", "))",
                at: place + [name])
        }

        /// Returns the members of the object under `key`, in the order of the text. Each member has
        /// the name of an input.
        func members(
            _ key: String, of item: JSONValue, _ place: [String]
        ) throws(EffectError) -> [(key: String, value: JSONValue)] {
            guard let value = item[key] else { return [] }
            let place = place + [key]
            guard let members = value.object else {
                throw error(
                    "\"\(key)\" must be an object with input names: { \"amount\": … }", at: place)
            }
            return members.sorted {
                (places.line(of: place + [$0.key]), $0.key)
                    < (places.line(of: place + [$1.key]), $1.key)
            }
        }
    }
}
