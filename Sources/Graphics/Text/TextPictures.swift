// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import Synchronization

/// Pictures of text, each made once: asked for the same words in the same style and width, it gives
/// the same picture again, which then is uploaded no more.
///
/// - Concurrency: any thread, one at a time, under a lock. What is there already takes a
///   microsecond; what has to be made takes milliseconds, so ask for new text on a thread that has
///   them.
/// - Ownership: keeps the pictures that were asked for last.
/// - Errors: `TextError`.
public final class TextPictures: Sendable {
    /// For programs that have no need to keep theirs apart.
    public static let shared = TextPictures()

    private struct Key: Hashable {
        var text: String
        var style: TextStyle
        var maximumWidth: Int?
    }

    private struct State {
        var rasterizer: TextRasterizer?
        var pictures: [Key: (picture: PixelBuffer?, lastUse: Int)] = [:]
        var useCount = 0
        var byteCount = 0

        /// Lets go of what was not among the last so many that were asked for.
        mutating func forget(before count: Int) {
            let limit = useCount - count
            pictures = pictures.filter { $0.value.lastUse > limit }
            byteCount = pictures.values.reduce(0) { $0 + ($1.picture?.byteCount ?? 0) }
        }
    }

    /// More lines than are on any screen at a time.
    private static let capacity = 256
    /// What they may take, but for the last few: pages of words in windows of many sizes would take what
    /// nobody looks at any more.
    private static let byteLimit = 16 << 20
    private static let keptCount = 16

    private let state = Mutex(State())

    public init() {}

    /// What the pictures that are kept take, in bytes.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    /// A picture of text, as `TextRasterizer.picture(of:style:maximumWidth:)` makes it.
    public func picture(
        of text: String, style: TextStyle = TextStyle(), maximumWidth: Int? = nil
    ) throws(TextError) -> PixelBuffer? {
        let key = Key(text: text, style: style, maximumWidth: maximumWidth)
        return try state.withLock { (state: inout State) throws(TextError) -> PixelBuffer? in
            state.useCount += 1
            if let found = state.pictures[key] {
                state.pictures[key]?.lastUse = state.useCount
                return found.picture
            }
            let rasterizer: TextRasterizer
            if let made = state.rasterizer {
                rasterizer = made
            } else {
                rasterizer = try TextRasterizer()
                state.rasterizer = rasterizer
            }
            let picture = try rasterizer.picture(
                of: text, style: style, maximumWidth: maximumWidth)
            // The older half goes at once, so that counting is rare.
            if state.pictures.count >= Self.capacity { state.forget(before: Self.capacity / 2) }
            state.pictures[key] = (picture, state.useCount)
            state.byteCount += picture?.byteCount ?? 0
            if state.byteCount > Self.byteLimit { state.forget(before: Self.keptCount) }
            return picture
        }
    }
}
