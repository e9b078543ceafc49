// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// What an effect is: its inputs, its passes and its shader. A description, nothing compiled.
///
/// Any number of `EffectInstance`s with values of their own are made from one effect. It is the
/// same whichever of the formats its file is written in (`EffectFormat`).
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
    package struct Requirements: Sendable, Hashable {
        /// What is said of its output's alpha: `ALPHA`.
        package var alpha = Alpha.straight
        /// The picture at its own size, not at that at which it is seen: scalers.
        package var sourceSize = false
        /// Colours as the effect before it left them, darker than black and lighter than white too,
        /// where both look at their own pixel only: `RANGE`.
        package var anyRange = false
    }

    /// What an effect says of its output's alpha.
    package enum Alpha: String, Sendable, Hashable {
        /// Colour is not multiplied by it, as ISF has it.
        case straight
        /// Colour is multiplied by it already.
        case premultiplied
        /// Straight; and of a picture that is opaque everywhere the effect makes one that is, so
        /// that nothing behind it need be drawn.
        case keepsOpaque = "keeps-opaque"
    }

    /// A picture that comes with the effect: ISF's `IMPORTED`.
    package struct ImportedImage: Sendable {
        /// What the shader calls it.
        package let name: String
        /// As the effect's file gives it: relative to its folder.
        package let path: String
        /// The line that names it, from 1.
        package let line: Int
        /// The file that has this line; nil for the effect's own.
        var file: String?
        /// What the file holds; nil until it is read, which `EffectLibrary` does.
        package var picture: PixelBuffer?
    }

    /// Such as `chroma_key`: the file's name without its ending.
    public let name: String
    /// The file, or its name alone when it is built in.
    public let path: String
    /// Whose conventions it follows.
    public let format: EffectFormat
    /// Whether it comes with this library.
    public internal(set) var isBuiltIn = false
    /// What it does, in the author's words.
    public var summary = ""
    /// Who wrote it.
    public var credit = ""
    /// What the author counts it among.
    public var categories: [String] = []
    /// What can be set, in the author's order.
    public var inputs: [EffectInput]
    /// At least one.
    package var passes = [EffectPass()]
    /// Pictures that come with it.
    package var importedImages: [ImportedImage] = []
    /// The fragment shaders, each in the pieces that its text is made of, first to last. ISF has
    /// one for all passes.
    package var shaders: [[ShaderSource]]
    /// Empty for the vertex shader that most effects do without.
    package var vertex: [ShaderSource] = []
    /// What it needs of whoever draws it.
    package var requirements = Requirements()
    /// What its fragment shaders read that the vertex shader that most effects do without would
    /// write: by their names, with what they are.
    var varyings: [String: String] = [:]

    /// What it is applied to, by what it takes.
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
