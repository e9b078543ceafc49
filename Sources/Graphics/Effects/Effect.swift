// SPDX-License-Identifier: Apache-2.0

/// What an effect is: its inputs, its passes and its shader. A description, nothing compiled.
///
/// Any number of `EffectInstance`s with values of their own are made from one effect.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: an ISF file; `CIFilter`'s attributes.
public struct Effect: Sendable {
    /// What it takes in.
    public enum Kind: String, Sendable, Hashable {
        /// Changes the picture in `inputImage`.
        case filter
        /// Leads from `startImage` to `endImage` as `progress` goes from 0 to 1.
        case transition
        /// Makes a picture out of nothing.
        case generator
    }

    /// What it asks for beyond ISF, in the header's `PLAYHEAD` key; other hosts ignore the key.
    public struct Requirements: Sendable, Hashable {
        /// The film's own chroma samples, unconverted: `NATIVE_CHROMA`.
        public var nativeChroma = false
        /// Whether its output's colour is multiplied by alpha already: `ALPHA` is `premultiplied`.
        public var isOutputPremultiplied = false
    }

    /// A picture that comes with the effect: ISF's `IMPORTED`.
    public struct ImportedImage: Sendable, Hashable {
        public let name: String
        public let path: String
    }

    /// A piece of shader text and where it stands, for error reports.
    public struct Source: Sendable, Hashable {
        public let text: String
        public let path: String
        /// Number of the first line of `text` in the file, from 1.
        public let firstLine: Int
    }

    /// Such as `chroma_key`: the file's name without its ending.
    public let name: String
    /// The file, or its name alone when it is built in.
    public let path: String
    public let summary: String
    public let credit: String
    public let categories: [String]
    public let inputs: [EffectInput]
    /// At least one.
    public let passes: [EffectPass]
    public let importedImages: [ImportedImage]
    public let fragment: Source
    /// Nil for the vertex shader that most effects do without.
    public let vertex: Source?
    public let requirements: Requirements

    public var kind: Kind {
        let names = Set(inputs.lazy.filter { $0.kind == .image }.map(\.name))
        if names.contains("startImage"), names.contains("endImage") { return .transition }
        return names.contains("inputImage") ? .filter : .generator
    }

    /// The input of a name.
    public func input(named name: String) -> EffectInput? {
        inputs.first { $0.name == name }
    }
}
