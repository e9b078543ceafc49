// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects
import PlayheadGL

extension EffectWatcher {
    /// Starts watching: pictures that come with effects are read by FFmpeg, and what was saved is
    /// compiled without a display before it is drawn.
    ///
    /// - Parameter handler: called on the watcher's thread after each save.
    /// - Throws: `EffectError.unreadable` where the system does not let folders be watched.
    public convenience init(
        handler: @escaping @Sendable (Event) -> Void
    ) throws(EffectError) {
        try self.init(
            readPicture: { try EffectLibrary.picture(path: $0) },
            makeContext: { () throws(GLError) -> any GLContext in try HeadlessContext() },
            handler: handler)
    }
}
