// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import Synchronization

/// A cache of images of text. For the same text, style and width, it returns the same image, which
/// then need not be uploaded again.
///
/// - Concurrency: any thread, one at a time, under a lock. A cached image takes a microsecond. A
///   new one takes milliseconds, so request new text on a thread that may wait.
/// - Ownership: holds the images that were requested last.
/// - Errors: `TextError`.
public final class TextPictures: Sendable {
    /// The shared cache, for programs that need no cache of their own.
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

        /// Drops the images that are not among the last `count` requested ones.
        mutating func forget(before count: Int) {
            let limit = useCount - count
            pictures = pictures.filter { $0.value.lastUse > limit }
            byteCount = pictures.values.reduce(0) { $0 + ($1.picture?.byteCount ?? 0) }
        }
    }

    /// The maximum number of images: more than the lines that any screen shows at a time.
    private static let capacity = 256
    /// The maximum size of all images together, in bytes. The last few images are kept even if they
    /// exceed it. Without this limit, pages of text in windows of many sizes would accumulate.
    private static let byteLimit = 16 << 20
    private static let keptCount = 16

    private let state = Mutex(State())

    /// Creates an empty cache.
    package init() {}

    /// The size of the cached images, in bytes.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    /// Returns an image of text.
    ///
    /// - Parameters:
    ///   - text: the lines, separated by line feeds. Nothing in the text is treated as markup.
    ///   - style: the font, colours and outline.
    ///   - maximumWidth: the maximum width of a line, in pixels; longer lines are broken between
    ///     words. Nil for no limit.
    /// - Returns: an image as large as the text and its box, `.rgba`, premultiplied; nil if nothing
    ///   is visible, as for a text of spaces.
    /// - Throws: `TextError` if no font has any of the characters.
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
            // The older half is dropped at once, so that dropping is rare.
            if state.pictures.count >= Self.capacity { state.forget(before: Self.capacity / 2) }
            state.pictures[key] = (picture, state.useCount)
            state.byteCount += picture?.byteCount ?? 0
            if state.byteCount > Self.byteLimit { state.forget(before: Self.keptCount) }
            return picture
        }
    }
}
