// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
public import PlayheadConversion
public import PlayheadGL

/// A picture in textures, and what a shader has to know to read it.
///
/// - Concurrency: render thread.
/// - Lifetime: belongs to its cache, which uploads another picture into it when this one has not
///   been asked for in the last frames; ask the cache anew every frame.
public final class PictureTextures {
    /// Which textures there are, and what is in each.
    package let layout: PictureLayout
    /// Size in luma samples.
    package let width: Int
    package let height: Int
    /// One for each plane, in the layout's order.
    public let textures: [GLTexture]

    /// Which picture is in them; 0 for none.
    package internal(set) var identifier: UInt64 = 0
    /// Whether the last texture is of alpha.
    package internal(set) var hasAlpha = false
    /// What the picture says of itself.
    package internal(set) var attachments = PixelBufferAttachments()
    /// What makes R'G'B' of its samples.
    public internal(set) var conversion: YCbCrConversion
    /// Where its chroma samples lie.
    package internal(set) var siting = ChromaSiting.cosited
    /// Of the first component, in bits; more than any target's for floats.
    package internal(set) var bitDepth = 8
    /// The format of the picture that was uploaded last.
    package private(set) var format: PixelFormat
    /// With nothing left unspecified.
    package private(set) var color = ColorAttachments()
    private var transform: (output: PicturePainter.Output, value: ColorTransform)?
    /// Bytes of OpenGL's memory.
    var byteCount: Int { textures.reduce(0) { $0 + $1.byteCount } }
    /// Number of the cache's frame in which they were last asked for.
    var lastUse = 0

    /// Size of the picture as it is meant to be seen: pixel aspect and orientation applied.
    public var displaySize: (width: Double, height: Double) {
        let ratio = attachments.pixelAspectRatio
        let wide = Double(width) * Double(ratio.horizontal) / Double(ratio.vertical)
        return attachments.orientation.swapsAxes ? (Double(height), wide) : (wide, Double(height))
    }

    /// Whether there is less chroma than luma.
    package var isSubsampled: Bool {
        layout.views.contains { $0.log2Width > 0 || $0.log2Height > 0 }
    }

    /// From the picture's R'G'B' to a target's.
    func transform(to output: PicturePainter.Output) -> ColorTransform {
        if let transform, transform.output == output { return transform.value }
        var value = ColorTransform(
            from: color, peakLuminance: attachments.peakLuminance, to: output.colorSpace)
        if output.isLight { value = value.toLight }
        transform = (output, value)
        return value
    }

    init(
        layout: PictureLayout, buffer: PixelBuffer, isShared: Bool, context: any GLContext
    ) throws(GLError) {
        self.layout = layout
        width = buffer.width
        height = buffer.height
        format = buffer.format
        conversion = YCbCrConversion(format: buffer.format, color: buffer.color)
        var textures: [GLTexture] = []
        for (index, view) in layout.views.enumerated() {
            let size = view.size(width: buffer.width, height: buffer.height)
            textures.append(
                try GLTexture(
                    format: view.format, width: size.width, height: size.height,
                    swizzle: view.swizzle, label: "picture, view \(index)",
                    isShared: isShared, context: context))
        }
        self.textures = textures
    }

    /// Others of the same layout and size, for what is made of a picture.
    init(like other: PictureTextures, textures: [GLTexture]) {
        layout = other.layout
        width = other.width
        height = other.height
        format = other.format
        conversion = other.conversion
        self.textures = textures
    }

    /// Makes what is in these textures mean what it means in others.
    func takeMeaning(of other: PictureTextures) {
        format = other.format
        color = other.color
        conversion = other.conversion
        siting = other.siting
        bitDepth = other.bitDepth
        hasAlpha = other.hasAlpha
        attachments = other.attachments
        transform = nil
    }

    /// Whether a picture fits into them.
    func fit(_ buffer: PixelBuffer, _ layout: PictureLayout) -> Bool {
        width == buffer.width && height == buffer.height && self.layout == layout
    }

    /// Copies a picture of this layout and size.
    func upload(_ buffer: PixelBuffer, by uploader: PictureUploader) {
        uploader.upload(buffer, into: textures, layout: layout)
        let color = buffer.color
        if buffer.attachments != attachments || buffer.format != format || identifier == 0 {
            conversion = YCbCrConversion(format: buffer.format, color: color)
            siting = ChromaSiting(
                format: buffer.format, width: width, height: height,
                location: color.chromaLocation)
            self.color = color
            transform = nil
        }
        format = buffer.format
        bitDepth = buffer.format.isFloat ? 32 : buffer.format.bitDepth
        attachments = buffer.attachments
        hasAlpha = buffer.format.hasAlpha
        identifier = buffer.identifier
    }
}
