// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A description of an effect: its inputs, passes and shaders. Nothing is compiled.
///
/// Any number of `EffectInstance`s with values of their own are made from one effect. It is the
/// same whichever of the formats its file is written in (`EffectFormat`).
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: an ISF file; `CIFilter`'s attributes.
public struct Effect: Sendable {
    /// The images that an effect takes.
    public enum Kind: String, Sendable, Hashable {
        /// Processes `inputImage`.
        case filter
        /// Changes from `startImage` to `endImage` as `progress` goes from 0 to 1.
        case transition
        /// Generates an image.
        case generator
    }

    /// Requirements beyond ISF, from the header's `PLAYHEAD` key, which other hosts ignore.
    package struct Requirements: Sendable, Hashable {
        /// The alpha of the output: `ALPHA`.
        package var alpha = Alpha.straight
        /// The picture at its own size, not at that at which it is seen: scalers.
        package var sourceSize = false
        /// The stored planes of the video, if nothing was drawn onto it before.
        package var storedPlanes = false
        /// Colours as the effect before it left them, darker than black and lighter than white too,
        /// where both look at their own pixel only: `RANGE`.
        package var anyRange = false
    }

    /// The alpha of an effect's output.
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
        /// The name of the sampler in the shader.
        package let name: String
        /// As the effect's file gives it: relative to its folder.
        package let path: String
        /// The line that names it, from 1.
        package let line: Int
        /// The file that has this line; nil for the effect's own.
        var file: String?
        /// The image; nil until `EffectLibrary` has read it.
        package var picture: PixelBuffer?
    }

    /// The name, such as `chroma_key`: the file name without its extension.
    public let name: String
    /// The path of the file; the file name alone if the effect is built in.
    public let path: String
    /// The format of the file.
    public let format: EffectFormat
    /// A Boolean value that indicates whether the effect is built in.
    public internal(set) var isBuiltIn = false
    /// A description by the author.
    public var summary = ""
    /// The author.
    public var credit = ""
    /// The categories, by the author.
    public var categories: [String] = []
    /// The inputs, in the author's order.
    public var inputs: [EffectInput]
    /// The passes, at least one.
    package var passes = [EffectPass()]
    /// The images that come with the effect.
    package var importedImages: [ImportedImage] = []
    /// The fragment shaders, each in the pieces that its text is made of, first to last. ISF has
    /// one for all passes.
    package var shaders: [[ShaderSource]]
    /// Empty for the vertex shader that most effects do without.
    package var vertex: [ShaderSource] = []
    /// Tables of numbers that come with it.
    package var tables: [EffectTable] = []
    /// Problems of the file that do not keep it from being drawn.
    package var warnings: [ShaderDiagnostic] = []
    /// Requirements on the renderer.
    package var requirements = Requirements()
    /// What its fragment shaders read that the vertex shader that most effects do without would
    /// write: by their names, with what they are.
    var varyings: [String: String] = [:]

    /// The kind of effect, which follows from its image inputs.
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
