// SPDX-License-Identifier: Apache-2.0

import CPlayheadASS
import Glibc
package import PlayheadAssets
package import PlayheadBuffers
package import PlayheadTime

/// Draws the subtitles of a track as they look at a time: lines by libass, with the styles and fonts
/// of the file, and bitmaps as they are.
///
/// - Concurrency: one thread at a time. Takes milliseconds, the first drawing more, for fonts are looked
///   up: not for the render thread.
/// - Errors: `TextError`.
/// - Corresponds to: `ASS_Renderer`, `ASS_Track`.
package final class SubtitleRasterizer: @unchecked Sendable {
    // Unchecked: the libass handles are used by the one thread at a time that is allowed.

    /// How large subtitles are drawn, and for what.
    package struct Layout: Sendable, Hashable {
        /// Size at which the film is seen, in pixels of the screen.
        package var width: Int
        package var height: Int
        /// Size of the film's pictures as they are stored, which differs in shape from the above where
        /// their pixels are not square. Zero where it is not known.
        package var storageWidth: Int
        package var storageHeight: Int
        /// By how much larger letters are than the file says.
        package var fontScale: Double
        /// How far up lines at the bottom stand, in hundredths of the height.
        package var elevation: Double
        /// Colours that the film's pictures are coded in, with nothing left unspecified, to which authors
        /// match those of a script; nil where they are not known.
        package var filmColor: ColorAttachments?

        package init(
            width: Int, height: Int, storageWidth: Int = 0, storageHeight: Int = 0,
            fontScale: Double = 1, elevation: Double = 0, filmColor: ColorAttachments? = nil
        ) {
            self.width = width
            self.height = height
            self.storageWidth = storageWidth
            self.storageHeight = storageHeight
            self.fontScale = fontScale
            self.elevation = elevation
            self.filmColor = filmColor
        }
    }

    /// What is seen at a time: a picture, and where it stands.
    package struct Drawing: Sendable {
        /// `.rgba`, premultiplied; as large as what there is to see.
        package var picture: PixelBuffer
        /// Of its top left corner, in pixels of the layout.
        package var x: Int
        package var y: Int
    }

    private let library: OpaquePointer
    private let renderer: OpaquePointer
    private var track: UnsafeMutablePointer<ASS_Track>?
    private var layout: Layout?
    /// Whether the author knew the film's pixels.
    private var isStyled = false
    /// Nil where a script's colours are seen as they are.
    private var colors: ScriptColors?
    /// What was drawn last, and of which bitmaps.
    private var last: (drawing: Drawing?, bitmaps: [SubtitleBitmap])?

    /// Of libass's caches: glyphs, and megabytes of bitmaps.
    private static let cacheLimits: (glyphs: Int32, megabytes: Int32) = (10_000, 32)
    /// Pieces that libass makes of one moment at most: what is beyond is left out.
    private static let maximumImages = 20_000

    /// Starts libass with the fonts of the system.
    package init() throws(TextError) {
        guard let library = ass_library_init() else { throw .unavailable }
        // libass would write to stderr, which belongs to the program.
        ass_set_message_cb(library, { _, _, _, _ in }, nil)
        ass_set_extract_fonts(library, 1)
        guard let renderer = ass_renderer_init(library) else {
            ass_library_done(library)
            throw .unavailable
        }
        self.library = library
        self.renderer = renderer
        ass_set_cache_limits(renderer, Self.cacheLimits.glyphs, Self.cacheLimits.megabytes)
    }

    deinit {
        if let track { ass_free_track(track) }
        ass_renderer_done(renderer)
        ass_library_done(library)
    }

    /// Begins a track: forgets all lines.
    package func begin(_ script: SubtitleScript) {
        if let track { ass_free_track(track) }
        last = nil
        layout = nil
        isStyled = script.isStyled
        ass_clear_fonts(library)
        for font in script.fonts {
            font.bytes.withUnsafeBytes { bytes in
                ass_add_font(
                    library, font.name, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(clamping: bytes.count))
            }
        }
        ass_set_fonts(
            renderer, nil, "sans-serif", Int32(ASS_FONTPROVIDER_AUTODETECT.rawValue), nil, 1)
        track = ass_new_track(library)
        guard let track, !script.header.isEmpty else { return }
        // Lines are told apart by whoever keeps them.
        ass_set_check_readorder(track, 0)
        var header = script.header.utf8CString
        let count = Int32(clamping: header.count - 1)
        header.withUnsafeMutableBufferPointer {
            ass_process_codec_private(track, $0.baseAddress, count)
        }
    }

    /// Adds lines to the track; what is no line is passed over.
    package func append(_ cues: some Sequence<SubtitleCue>) {
        guard let track else { return }
        for cue in cues {
            guard case .line(let line) = cue.content,
                let start = Self.milliseconds(cue.timeRange.start),
                let end = Self.milliseconds(cue.timeRange.end), end > start
            else { continue }
            var bytes = line.utf8CString
            let count = Int32(clamping: bytes.count - 1)
            bytes.withUnsafeMutableBufferPointer {
                ass_process_chunk(track, $0.baseAddress, count, start, end - start)
            }
        }
        last = nil
    }

    /// Draws what is shown at a time.
    ///
    /// - Parameter bitmaps: those that are shown then, besides the lines.
    /// - Returns: what is to be seen, nil for nothing; the same picture as the last time where libass
    ///   says that nothing has changed.
    package func draw(
        at time: MediaTime, layout: Layout, bitmaps: [SubtitleBitmap] = []
    ) -> Drawing? {
        guard layout.width > 0, layout.height > 0 else { return nil }
        if layout != self.layout {
            apply(layout)
            last = nil
        }
        var images: UnsafeMutablePointer<ASS_Image>?
        var change: Int32 = 2
        if let track, let now = Self.milliseconds(time) {
            images = ass_render_frame(renderer, track, now, &change)
        }
        if let last, change == 0, last.bitmaps == bitmaps { return last.drawing }
        let drawing = compose(images, bitmaps, layout)
        last = (drawing, bitmaps)
        return drawing
    }

    private func apply(_ layout: Layout) {
        self.layout = layout
        ass_set_frame_size(renderer, Int32(clamping: layout.width), Int32(clamping: layout.height))
        // What scripts count in: their letters are stretched with the film's pixels, as their authors
        // saw them. Plain text has square ones.
        let storage =
            isStyled && layout.storageWidth > 0 && layout.storageHeight > 0
            ? (layout.storageWidth, layout.storageHeight) : (layout.width, layout.height)
        ass_set_storage_size(renderer, Int32(clamping: storage.0), Int32(clamping: storage.1))
        ass_set_font_scale(renderer, min(max(layout.fontScale, 0.1), 10))
        ass_set_line_position(renderer, min(max(layout.elevation, 0), 100))
        colors = nil
        if isStyled, let track, let film = layout.filmColor {
            colors = ScriptColors(track.pointee.YCbCrMatrix, film: film)
        }
    }

    private func compose(
        _ first: UnsafeMutablePointer<ASS_Image>?, _ bitmaps: [SubtitleBitmap], _ layout: Layout
    ) -> Drawing? {
        var bounds: TextCanvas.Bounds?
        let images = Self.images(from: first)
        for image in images {
            bounds = TextCanvas.Bounds(
                bounds, x: Int(image.dst_x), y: Int(image.dst_y), width: Int(image.w),
                height: Int(image.h))
        }
        let scaled = bitmaps.compactMap { ScaledBitmap($0, to: layout) }
        for bitmap in scaled {
            bounds = TextCanvas.Bounds(
                bounds, x: bitmap.x, y: bitmap.y, width: bitmap.width, height: bitmap.height)
        }
        guard let bounds else { return nil }
        var canvas = TextCanvas(bounds, padding: 0, box: .zero)
        for bitmap in scaled {
            canvas.draw(
                pixels: bitmap.pixels, x: bitmap.x, y: bitmap.y, width: bitmap.width,
                height: bitmap.height)
        }
        for image in images {
            guard let coverage = image.bitmap else { continue }
            canvas.draw(
                coverage: coverage, bytesPerRow: Int(image.stride), x: Int(image.dst_x),
                y: Int(image.dst_y), width: Int(image.w), height: Int(image.h),
                color: colors?(image.color) ?? image.color)
        }
        return Drawing(picture: canvas.picture(), x: bounds.left, y: bounds.top)
    }

    /// What libass made, as far as there is something to see of it. It lies within the frame.
    private static func images(from first: UnsafeMutablePointer<ASS_Image>?) -> [ASS_Image] {
        var images: [ASS_Image] = []
        var next = first
        while let image = next?.pointee, images.count < maximumImages {
            if image.w > 0, image.h > 0, image.bitmap != nil { images.append(image) }
            next = image.next
        }
        return images
    }

    /// Whole milliseconds, libass's unit. A time counts as reached a microsecond early.
    private static func milliseconds(_ time: MediaTime) -> Int64? {
        guard time.isNumeric else { return nil }
        return (time + VideoFrame.timeTolerance).converted(
            toTimescale: 1000, method: .roundTowardNegativeInfinity
        ).value
    }
}
