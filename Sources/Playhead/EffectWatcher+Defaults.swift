// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects
import PlayheadGL

extension EffectWatcher {
    /// Creates a watcher that watches nothing yet. It reads the images of effects with FFmpeg, and
    /// compiles new versions of effects in a headless context before they are drawn.
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
