// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A description of an effect: its inputs, passes and shaders. Nothing is compiled yet.
///
/// Any number of `EffectInstance`s, each with its own values, can be created from one effect. The
/// description does not depend on the format of the file (`EffectFormat`).
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: an ISF file; `CIFilter`'s attributes.
public struct Effect: Sendable {
    /// The kind of an effect, which is determined by the images that it takes.
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
        /// The alpha of the output: the key `ALPHA`.
        package var alpha = Alpha.straight
        /// A Boolean value that indicates whether the effect reads the input at the input's own
        /// size, as scalers do, instead of the size at which it is shown.
        package var sourceSize = false
        /// A Boolean value that indicates whether the effect reads the stored planes of the video,
        /// provided that no effect was drawn before it.
        package var storedPlanes = false
        /// A Boolean value that indicates whether the effect accepts values below 0 and above 1
        /// from the previous effect: the key `RANGE`. If the two effects can be fused, such values
        /// are then not clamped.
        package var anyRange = false
    }

    /// The alpha of an effect's output.
    package enum Alpha: String, Sendable, Hashable {
        /// Straight alpha, the default of ISF.
        case straight
        /// Premultiplied alpha.
        case premultiplied
        /// Straight alpha. If the input is opaque everywhere, so is the output, and nothing behind
        /// it needs to be drawn.
        case keepsOpaque = "keeps-opaque"
    }

    /// An image that comes with the effect: an element of ISF's `IMPORTED`.
    package struct ImportedImage: Sendable {
        /// The name of the sampler in the shader.
        package let name: String
        /// The path of the image as the effect's file states it, relative to the folder of that
        /// file.
        package let path: String
        /// The number of the line that names the image, from 1.
        package let line: Int
        /// The file that contains this line, or nil for the effect's own file.
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
    package internal(set) var isBuiltIn = false
    /// The description that the author gives.
    public var summary = ""
    /// The name of the author.
    package var credit = ""
    /// The categories that the author gives.
    package var categories: [String] = []
    /// The inputs, in the author's order.
    public var inputs: [EffectInput]
    /// The passes, at least one.
    package var passes = [EffectPass()]
    /// The images that come with the effect.
    package var importedImages: [ImportedImage] = []
    /// The cube maps whose faces are among the imported images.
    package var cubeMaps: [EffectCubeMap] = []
    /// A Boolean value that indicates whether the shaders read the keyboard.
    package var readsKeyboard = false
    /// The fragment shaders, each as pieces of text in order. An ISF file has one shader for all
    /// passes.
    package var shaders: [[ShaderSource]]
    /// The pieces of the vertex shader; empty for the default vertex shader.
    package var vertex: [ShaderSource] = []
    /// The tables of numbers that come with the effect.
    package var tables: [EffectTable] = []
    /// The warnings about the file, which do not prevent the effect from being drawn.
    package var warnings: [ShaderDiagnostic] = []
    /// Requirements on the renderer.
    package var requirements = Requirements()
    /// The names and types of the varyings that the fragment shaders read and the default vertex
    /// shader has to write.
    var varyings: [String: String] = [:]

    /// The kind of effect, derived from its image inputs.
    public var kind: Kind {
        let names = Set(inputs.lazy.filter { $0.kind == .image }.map(\.name))
        if names.contains("startImage"), names.contains("endImage") { return .transition }
        return names.contains("inputImage") ? .filter : .generator
    }

    /// Returns whether an imported image is a face of a cube map, which shaders do not sample on
    /// its own.
    func isFace(_ image: String) -> Bool {
        cubeMaps.contains { $0.faces.contains(image) }
    }

    /// Returns the input with a name, or nil if there is no such input.
    public func input(named name: String) -> EffectInput? {
        inputs.first { $0.name == name }
    }
}
