// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadEffects
import PlayheadFFmpeg

extension EffectLibrary {
    /// Loads an effect and its images, which FFmpeg reads. The effect is given by the name of a
    /// built-in effect or by the path of a file or folder.
    ///
    /// - Parameter format: The format; nil to detect it from the file's contents.
    /// - Throws: The errors of `effect(named:format:readPicture:)`.
    public static func load(
        _ name: String, format: EffectFormat? = nil
    ) throws(EffectError) -> Effect {
        try effect(named: name, format: format) { try picture(path: $0) }
    }

    /// Loads an image for an input of an effect, from an image file, which FFmpeg reads, or from a
    /// `.cube` LUT.
    ///
    /// - Throws: An error whose description states in one line why the image cannot be read.
    public static func picture(path: String) throws -> PixelBuffer {
        try picture(path: path) { try ImageFile.read($0) }
    }
}

extension EffectPreset {
    /// Creates the chain of the preset. Its effects and images are read from their files.
    ///
    /// - Throws: An error that states in one line why the chain cannot be created.
    public func makeInstances() throws(EffectError) -> [EffectInstance] {
        try makeInstances(
            readPicture: { try EffectLibrary.picture(path: $0) },
            load: { name throws(EffectError) in try EffectLibrary.load(name) })
    }
}
