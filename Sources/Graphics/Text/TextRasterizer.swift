// SPDX-License-Identifier: Apache-2.0

import CPlayheadASS
import Glibc
package import PlayheadBuffers
import Synchronization

/// A rasterizer of lines of text, in any script for which the system has fonts.
///
/// - Concurrency: any thread; one text at a time, under a lock. A call takes milliseconds. The
///   first text takes longer, to look up fonts, so do not call it on the render thread.
/// - Errors: `TextError`.
/// - Corresponds to: libass, which shapes, breaks and rasterises; `CTFrameDraw`.
package final class TextRasterizer: @unchecked Sendable {
    // Unchecked: the libass handles are used under `lock` only.
    private let library: OpaquePointer
    private let renderer: OpaquePointer
    private let lock = Mutex(())

    /// Creates a rasterizer that uses the system's fonts.
    package init() throws(TextError) {
        guard let library = ass_library_init() else { throw .unavailable }
        // Without a callback, libass would write to stderr, which belongs to the program.
        ass_set_message_cb(library, { _, _, _, _ in }, nil)
        guard let renderer = ass_renderer_init(library) else {
            ass_library_done(library)
            throw .unavailable
        }
        self.library = library
        self.renderer = renderer
        ass_set_cache_limits(renderer, Self.cacheLimits.glyphs, Self.cacheLimits.megabytes)
        ass_set_fonts(
            renderer, nil, "sans-serif", Int32(ASS_FONTPROVIDER_AUTODETECT.rawValue), nil, 1)
    }

    /// The limits of libass's caches: the number of glyphs, and the size of bitmaps in megabytes.
    /// libass's default for the size is 128.
    private static let cacheLimits: (glyphs: Int32, megabytes: Int32) = (2_000, 8)

    deinit {
        ass_renderer_done(renderer)
        ass_library_done(library)
    }

    /// Draws text.
    ///
    /// - Parameters:
    ///   - text: the lines, separated as Unicode separates lines, usually by line feeds. Spaces
    ///     before words indent them. Nothing in the text is treated as markup.
    ///   - style: the style. Numbers that cannot be drawn are replaced by the nearest that can be
    ///     drawn, and NaN by the smallest.
    ///   - maximumWidth: the maximum width of a line, in pixels; longer lines are broken between
    ///     words. Nil for no limit.
    /// - Returns: an image as large as the text and its box, `.rgba`, premultiplied; nil if nothing
    ///   is visible, as for a text of spaces, or if the letters are too small.
    package func picture(
        of text: String, style: TextStyle = TextStyle(), maximumWidth: Int? = nil
    ) throws(TextError) -> PixelBuffer? {
        let style = style.drawable
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let longest = lines.map(\.utf8.count).max() ?? 0
        // A character is rarely wider than it is high.
        let room = Int(Double(longest) * style.size * 1.5 + 4 * style.outlineWidth) + 64
        let width = min(max(1, maximumWidth ?? Self.maximumSize), room, Self.maximumSize)
        let wrapped = maximumWidth == nil ? 1 : max(1, (room + width - 1) / width)
        let height = min(
            Int(Double(lines.count * wrapped + 1) * style.size * 1.6) + 64, Self.maximumSize)
        let glyphs = lock.withLock { _ in
            rasterize(lines, style: style, width: width, height: height, wraps: maximumWidth != nil)
        }
        guard let glyphs else {
            // If the area or the letters are so small, fonts may draw nothing.
            let isTiny = style.size < Self.legibleSize || Double(width) < style.size
            if isTiny || text.allSatisfy(\.isWhitespace) { return nil }
            throw .noFont(family: style.family)
        }
        return glyphs
    }

    /// The maximum size, in pixels. OpenGL 3.3 implementations support textures of this size, which
    /// is larger than a screen.
    private static let maximumSize = 8192
    /// The size, in pixels, from which letters are visible.
    private static let legibleSize = 4.0

    private func rasterize(
        _ lines: [Substring], style: TextStyle, width: Int, height: Int, wraps: Bool
    ) -> PixelBuffer? {
        ass_set_frame_size(renderer, Int32(width), Int32(height))
        ass_set_storage_size(renderer, Int32(width), Int32(height))
        var script = Array(
            Self.script(lines, style: style, width: width, height: height, wraps: wraps).utf8
        ).map { CChar(bitPattern: $0) }
        guard let track = ass_read_memory(library, &script, script.count, nil) else { return nil }
        defer { ass_free_track(track) }
        var bounds: TextCanvas.Bounds?
        let first = ass_render_frame(renderer, track, 0, nil)
        var image = first
        while let current = image?.pointee {
            if let size = Self.coveredSize(of: current) {
                bounds = TextCanvas.Bounds(
                    bounds, x: Int(current.dst_x), y: Int(current.dst_y), width: size.width,
                    height: size.height)
            }
            image = current.next
        }
        guard var bounds else { return nil }
        if style.coversLines {
            // The position of the script's first line. Each line is as high as the size of its
            // font.
            let margin = Int(style.outlineWidth.rounded(.up))
            let height = Double(lines.count) * style.size
            bounds = TextCanvas.Bounds(
                bounds, x: margin, y: margin, width: 1, height: Int(height.rounded()))
        }
        var canvas = TextCanvas(bounds, padding: style.padding, box: style.boxColor)
        image = first
        while let current = image?.pointee {
            if let size = Self.coveredSize(of: current), let bitmap = current.bitmap {
                canvas.draw(
                    coverage: bitmap, bytesPerRow: Int(current.stride), x: Int(current.dst_x),
                    y: Int(current.dst_y), width: size.width, height: size.height,
                    color: current.color)
            }
            image = current.next
        }
        return canvas.picture()
    }

    /// Returns the size of the covered part of a bitmap, from its top left corner; nil if nothing
    /// is covered. libass makes bitmaps in tiles, so they may be up to 31 pixels larger.
    private static func coveredSize(of image: ASS_Image) -> (width: Int, height: Int)? {
        guard image.w > 0, image.h > 0, let bitmap = image.bitmap else { return nil }
        var (width, height) = (0, 0)
        for row in 0..<Int(image.h) {
            let line = UnsafeBufferPointer(
                start: bitmap + row * Int(image.stride), count: Int(image.w))
            guard let last = line.lastIndex(where: { $0 != 0 }) else { continue }
            width = max(width, last + 1)
            height = row + 1
        }
        return height > 0 ? (width, height) : nil
    }

    /// Returns the text as a script in libass's own language, in which one unit is a pixel.
    private static func script(
        _ lines: [Substring], style: TextStyle, width: Int, height: Int, wraps: Bool
    ) -> String {
        let margin = Int(style.outlineWidth.rounded(.up))
        let family = String(style.family.filter { $0 != "," && !$0.isNewline })
        let text = lines.map(escaped).joined(separator: "\\N")
        return """
            [Script Info]
            ScriptType: v4.00+
            PlayResX: \(width)
            PlayResY: \(height)
            WrapStyle: \(wraps ? 0 : 2)
            ScaledBorderAndShadow: yes
            [V4+ Styles]
            Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, \
            BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, \
            BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
            Style: T,\(family),\(style.size),\(code(style.color)),\(code(style.color)),\
            \(code(style.outlineColor)),\(code(style.outlineColor)),\(style.isBold ? -1 : 0),0,0,0,\
            100,100,0,0,1,\(style.outlineWidth),0,7,\(margin),\(margin),\(margin),1
            [Events]
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
            Dialogue: 0,0:00:00.00,1:00:00.00,T,,0,0,0,,\(text)

            """
    }

    /// Returns a line with its indent kept, and with braces and backslashes escaped, because they
    /// would be markup. An invisible word joiner separates a backslash from the letter after it.
    private static func escaped(_ line: Substring) -> String {
        // libass removes spaces before words, unless they are hard spaces.
        let words = line.drop { $0 == " " || $0 == "\t" }
        var result = String(repeating: "\\h", count: line.count - words.count)
        // The loop runs over scalars, because a brace with a combining mark is a different
        // character but still markup.
        for scalar in words.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\u{2060}"
            case "{": result += "\\{"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns a colour as `&HAABBGGRR`, where AA is the transparency.
    private static func code(_ color: SIMD4<Float>) -> String {
        func byte(_ value: Float) -> UInt32 { UInt32((min(max(value, 0), 1) * 255).rounded()) }
        let value =
            (255 - byte(color.w)) << 24 | byte(color.z) << 16 | byte(color.y) << 8 | byte(color.x)
        let digits = String(value, radix: 16, uppercase: true)
        return "&H" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
