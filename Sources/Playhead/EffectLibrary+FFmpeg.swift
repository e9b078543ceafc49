// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadEffects
import PlayheadFFmpeg

extension EffectLibrary {
    /// Loads an effect, by the name of a built-in one or by the path of a file or folder, with its
    /// images, which FFmpeg reads.
    ///
    /// - Parameter format: The format; nil to detect it from the file's contents.
    /// - Throws: the errors of `effect(named:format:readPicture:)`.
    public static func load(
        _ name: String, format: EffectFormat? = nil
    ) throws(EffectError) -> Effect {
        try effect(named: name, format: format) { try picture(path: $0) }
    }

    /// Loads an image for an effect's input, from a file that FFmpeg reads or from a `.cube` LUT.
    ///
    /// - Throws: an error whose description states in a line why it cannot be read.
    public static func picture(path: String) throws -> PixelBuffer {
        try picture(path: path) { try ImageFile.read($0) }
    }
}

extension EffectPreset {
    /// Creates the preset's chain; its effects and images are read from their files.
    ///
    /// - Throws: an error that states in a line why there is no such chain.
    public func makeInstances() throws(EffectError) -> [EffectInstance] {
        try makeInstances(
            readPicture: { try EffectLibrary.picture(path: $0) },
            load: { name throws(EffectError) in try EffectLibrary.load(name) })
    }
}
