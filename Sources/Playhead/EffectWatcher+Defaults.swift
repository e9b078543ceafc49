// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects
import PlayheadGL

extension EffectWatcher {
    /// Starts watching. FFmpeg reads the images of effects. A saved file is compiled without a
    /// display before it is drawn.
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
