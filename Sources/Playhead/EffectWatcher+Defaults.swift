// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects
import PlayheadGL

extension EffectWatcher {
    /// Starts watching. FFmpeg reads the images of effects, and saved files are compiled without a
    /// display before they are drawn.
    ///
    /// - Parameter handler: Called on the watcher's thread after each save.
    /// - Throws: `EffectError.unreadable` if the system cannot watch folders.
    public convenience init(
        handler: @escaping @Sendable (Event) -> Void
    ) throws(EffectError) {
        try self.init(
            readPicture: { try EffectLibrary.picture(path: $0) },
            makeContext: { () throws(GLError) -> any GLContext in try HeadlessContext() },
            handler: handler)
    }
}
