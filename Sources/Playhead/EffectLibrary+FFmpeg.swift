// SPDX-License-Identifier: Apache-2.0

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
        try effect(named: name, format: format) { try ImageFile.read($0) }
    }
}
