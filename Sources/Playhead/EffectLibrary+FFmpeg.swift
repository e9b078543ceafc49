// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadEffects
import PlayheadFFmpeg

extension EffectLibrary {
    /// An effect by the name of a built-in one or by the path of a file or folder, with the pictures
    /// that come with it, read by FFmpeg.
    ///
    /// - Parameter format: nil to tell by what the file holds.
    /// - Throws: what `effect(named:format:readPicture:)` throws.
    public static func load(
        _ name: String, format: EffectFormat? = nil
    ) throws(EffectError) -> Effect {
        try effect(named: name, format: format) { try picture(path: $0) }
    }

    /// A picture for an effect's input, from a file that FFmpeg reads, or from a `.cube` table.
    ///
    /// - Throws: what says in a line why it cannot be read.
    public static func picture(path: String) throws -> PixelBuffer {
        try picture(path: path) { try ImageFile.read($0) }
    }
}

extension EffectPreset {
    /// The chain that it is of, its effects and pictures read from their files.
    ///
    /// - Throws: what says in a line why there is no such chain.
    public func makeInstances() throws(EffectError) -> [EffectInstance] {
        try makeInstances(
            readPicture: { try EffectLibrary.picture(path: $0) },
            load: { name throws(EffectError) in try EffectLibrary.load(name) })
    }
}
