// SPDX-License-Identifier: Apache-2.0

import CPlayheadASS
import Glibc
package import PlayheadAssets
package import PlayheadBuffers
package import PlayheadTime

/// A rasterizer that draws a track's subtitles for a given time. libass draws lines with the styles
/// and fonts of the file; bitmaps are only scaled.
///
/// - Concurrency: one thread at a time. A call takes milliseconds. The first drawing takes longer,
///   to look up fonts, so do not call it on the render thread.
/// - Errors: `TextError`.
/// - Corresponds to: `ASS_Renderer`, `ASS_Track`.
package final class SubtitleRasterizer: @unchecked Sendable {
    // Unchecked: only one thread at a time uses the libass handles.

    /// The size at which subtitles are drawn, and the properties of their video.
    package struct Layout: Sendable, Hashable {
        /// The width at which the video is displayed, in pixels of the screen.
        package var width: Int
        /// The height at which the video is displayed, in pixels of the screen.
        package var height: Int
        /// The width of the stored frames, in pixels; 0 if unknown. If pixels are not square, the
        /// ratio of width to height differs from the displayed one.
        package var storageWidth: Int
        /// The height of the stored frames, in pixels; 0 if unknown.
        package var storageHeight: Int
        /// The scale factor of the letters; 1 for the size in the file.
        package var fontScale: Double
        /// The upward offset of lines at the bottom, in percent of the height.
        package var elevation: Double
        /// The colour attachments of the video's frames, none of them unspecified; nil if unknown.
        /// Authors match a script's colours to them.
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

    /// The subtitles at a time: an image and its position.
    package struct Drawing: Sendable {
        /// The image, in premultiplied `.rgba`, cropped to its visible part.
        package var picture: PixelBuffer
        /// The left edge of the image, in pixels of the layout.
        package var x: Int
        /// The top edge of the image, in pixels of the layout.
        package var y: Int
    }

    private let library: OpaquePointer
    private let renderer: OpaquePointer
    private var track: UnsafeMutablePointer<ASS_Track>?
    private var layout: Layout?
    /// A Boolean value that indicates whether the author of the script defined its styles. Such a
    /// script was written for the pixels and the colours of the video.
    private var isStyled = false
    /// The grid of the script's characters; nil if it has none.
    private var grid: SubtitleScript.Grid?
    /// The left edge of the area that the script's positions refer to, in pixels of the layout.
    private var left = 0
    /// The conversion of the script's colours; nil if the colours are kept.
    private var colors: ScriptColors?
    /// The last drawing, and the bitmaps in it.
    private var last: (drawing: Drawing?, bitmaps: [SubtitleBitmap])?

    /// The limits of libass's caches: the number of glyphs, and the size of bitmaps in megabytes.
    private static let cacheLimits: (glyphs: Int32, megabytes: Int32) = (10_000, 32)
    /// The maximum number of libass's images that are drawn for one time. Further images are left
    /// out.
    private static let maximumImages = 20_000

    /// Creates a rasterizer that uses the system's fonts.
    package init() throws(TextError) {
        guard let library = ass_library_init() else { throw .unavailable }
        // Without a callback, libass would write to stderr, which belongs to the program.
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

    /// Starts a track, and discards all earlier lines.
    package func begin(_ script: SubtitleScript) {
        if let track { ass_free_track(track) }
        last = nil
        layout = nil
        isStyled = script.isStyled
        grid = script.grid
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
        // Duplicate lines are removed by the caller.
        ass_set_check_readorder(track, 0)
        var header = script.header.utf8CString
        let count = Int32(clamping: header.count - 1)
        header.withUnsafeMutableBufferPointer {
            ass_process_codec_private(track, $0.baseAddress, count)
        }
        if let grid { stretch(track, to: grid) }
    }

    /// Stretches the letters of a script to the columns of its grid, regardless of the font that
    /// the system has.
    private func stretch(_ track: UnsafeMutablePointer<ASS_Track>, to grid: SubtitleScript.Grid) {
        // The widths of one bar (`|`) and of twenty bars in a row give the distance between bars.
        guard let one = width(of: 1, on: track), let many = width(of: 20, on: track) else { return }
        let distance = (many - one) / 19 / Self.measuringScale
        guard distance > 0, track.pointee.n_styles > 0, let styles = track.pointee.styles else {
            return
        }
        // Fonts of other proportions are not monospaced.
        let ratio = min(max(grid.columnWidth / distance, 0.5), 2)
        for index in 0..<Int(track.pointee.n_styles) { styles[index].ScaleX *= ratio }
    }

    /// The number of pixels for each unit of a script when letters are measured.
    private static let measuringScale = 4.0

    /// Returns the width of a row of vertical bars (`|`) that is drawn on an empty track, in
    /// pixels; nil if nothing is drawn.
    private func width(of count: Int, on track: UnsafeMutablePointer<ASS_Track>) -> Double? {
        let size = (track.pointee.PlayResX, track.pointee.PlayResY)
        guard (1...4096).contains(size.0), (1...4096).contains(size.1) else { return nil }
        let scale = Int32(Self.measuringScale)
        ass_set_frame_size(renderer, size.0 * scale, size.1 * scale)
        ass_set_storage_size(renderer, size.0 * scale, size.1 * scale)
        var line = Array(
            ("0,0,Default,,0,0,0,,{\\an7\\pos(0,0)}" + String(repeating: "|", count: count))
                .utf8CString)
        let length = Int32(line.count - 1)
        line.withUnsafeMutableBufferPointer {
            ass_process_chunk(track, $0.baseAddress, length, 0, 1000)
        }
        defer { ass_flush_events(track) }
        let images = Self.images(from: ass_render_frame(renderer, track, 0, nil))
        guard let left = images.map({ $0.dst_x }).min(),
            let right = images.map({ $0.dst_x + $0.w }).max()
        else { return nil }
        return Double(right - left)
    }

    /// Adds lines to the track. Malformed lines are skipped.
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

    /// Draws the subtitles at a time.
    ///
    /// - Parameter bitmaps: the bitmaps that are displayed at that time, in addition to the lines.
    /// - Returns: the drawing; nil if nothing is displayed. If libass reports no change, it is the
    ///   same object as in the last call.
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
        var width = layout.width
        if let grid {
            width = min(width, max(1, Int((Double(layout.height) * grid.aspectRatio).rounded())))
        }
        left = (layout.width - width) / 2
        ass_set_frame_size(renderer, Int32(clamping: width), Int32(clamping: layout.height))
        // The storage size. Letters of scripts are stretched with the video's pixels, as their
        // authors saw them. For plain text, pixels are square.
        var storage = (width, layout.height)
        if isStyled, layout.storageWidth > 0, layout.storageHeight > 0 {
            storage = (layout.storageWidth, layout.storageHeight)
        }
        // A grid is as wide as the video, even if the shape of the video is narrower than that of
        // the grid.
        if grid != nil, let track {
            storage = (Int(track.pointee.PlayResX), Int(track.pointee.PlayResY))
        }
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
                bounds, x: Int(image.dst_x) + left, y: Int(image.dst_y), width: Int(image.w),
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
                coverage: coverage, bytesPerRow: Int(image.stride), x: Int(image.dst_x) + left,
                y: Int(image.dst_y), width: Int(image.w), height: Int(image.h),
                color: colors?(image.color) ?? image.color)
        }
        return Drawing(picture: canvas.picture(), x: bounds.left, y: bounds.top)
    }

    /// Returns the visible images of libass, which lie within the frame.
    private static func images(from first: UnsafeMutablePointer<ASS_Image>?) -> [ASS_Image] {
        var images: [ASS_Image] = []
        var next = first
        while let image = next?.pointee, images.count < maximumImages {
            if image.w > 0, image.h > 0, image.bitmap != nil { images.append(image) }
            next = image.next
        }
        return images
    }

    /// Returns a time in whole milliseconds, the unit of libass. A time up to a microsecond before
    /// a whole millisecond is rounded up.
    private static func milliseconds(_ time: MediaTime) -> Int64? {
        guard time.isNumeric else { return nil }
        return (time + VideoFrame.timeTolerance).converted(
            toTimescale: 1000, method: .roundTowardNegativeInfinity
        ).value
    }
}
