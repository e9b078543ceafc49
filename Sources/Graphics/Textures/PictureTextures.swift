// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
public import PlayheadConversion
public import PlayheadGL

/// A frame in textures, with the information that a shader needs to read it.
///
/// - Concurrency: render thread.
/// - Lifetime: the textures belong to a cache. If they were not requested for the last frames, the
///   cache uploads another frame into them. Request them from the cache again for every frame.
public final class PictureTextures {
    /// The layout of the textures, which defines their contents.
    package let layout: PictureLayout
    /// The width, in luma samples.
    package let width: Int
    /// The height, in luma samples.
    package let height: Int
    /// The textures, in the layout's order.
    public let textures: [GLTexture]

    /// The identifier of the frame in the textures; 0 for none.
    package internal(set) var identifier: UInt64 = 0
    /// A Boolean value that indicates whether the last texture contains alpha.
    package internal(set) var hasAlpha = false
    /// The frame's attachments.
    package internal(set) var attachments = PixelBufferAttachments()
    /// The conversion of the frame's samples to R'G'B'.
    public internal(set) var conversion: YCbCrConversion
    /// The siting of the frame's chroma samples.
    package internal(set) var siting = ChromaSiting.cosited
    /// The depth of the first component, in bits. For floats, it is more than the depth of any
    /// target.
    package internal(set) var bitDepth = 8
    /// The format of the frame that was uploaded last.
    package private(set) var format: PixelFormat
    /// The colour attachments, none of them unspecified.
    package private(set) var color = ColorAttachments()
    private var transform: (output: PictureOutput, value: ColorTransform)?
    /// The OpenGL memory that the textures take, in bytes.
    var byteCount: Int { textures.reduce(0) { $0 + $1.byteCount } }
    /// The number of the cache's frame in which the textures were last requested.
    var lastUse = 0

    /// The size at which the frame is displayed, with its pixel aspect ratio and orientation
    /// applied.
    public var displaySize: (width: Double, height: Double) {
        let ratio = attachments.pixelAspectRatio
        let wide = Double(width) * Double(ratio.horizontal) / Double(ratio.vertical)
        return attachments.orientation.swapsAxes ? (Double(height), wide) : (wide, Double(height))
    }

    /// A Boolean value that indicates whether chroma has fewer samples than luma.
    package var isSubsampled: Bool {
        layout.views.contains { $0.log2Width > 0 || $0.log2Height > 0 }
    }

    /// Returns the transform from the frame's R'G'B' to a target's.
    package func transform(to output: PictureOutput) -> ColorTransform {
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
                    swizzle: view.swizzle, label: "frame, view \(index)",
                    isShared: isShared, context: context))
        }
        self.textures = textures
    }

    /// Creates textures with the layout and size of others, for the results of processing a frame.
    init(like other: PictureTextures, textures: [GLTexture]) {
        layout = other.layout
        width = other.width
        height = other.height
        format = other.format
        conversion = other.conversion
        self.textures = textures
    }

    /// Takes over the format, colour and attachments of other textures.
    func copyProperties(of other: PictureTextures) {
        format = other.format
        color = other.color
        conversion = other.conversion
        siting = other.siting
        bitDepth = other.bitDepth
        hasAlpha = other.hasAlpha
        attachments = other.attachments
        transform = nil
    }

    /// Returns whether a frame fits into the textures.
    func fit(_ buffer: PixelBuffer, _ layout: PictureLayout) -> Bool {
        width == buffer.width && height == buffer.height && self.layout == layout
    }

    /// Uploads a frame of this layout and size.
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
