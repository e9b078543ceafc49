// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadGL

/// The mapping of a pixel format's planes to textures.
///
/// The mapping is derived from the description of the format. Components that are in one plane at
/// the same step share a texture, whose swizzle brings them into the order that the shader expects.
/// A plane may be read through two textures: interleaved 4:2:2 (`yuyv422`) has luma at every second
/// byte and chroma at every fourth.
package struct PictureLayout: Sendable, Hashable {
    /// A view of a plane as a texture.
    package struct View: Sendable, Hashable {
        /// The index of the plane.
        package let plane: Int
        /// The index of another plane of the same size, whose samples are the second channel; nil
        /// if there is no such plane.
        package let joinedPlane: Int?
        /// The texture's format.
        package let format: GLTextureFormat
        /// The source of each channel that a shader reads.
        package let swizzle: GLTexture.Swizzle
        /// The binary logarithm of the ratio of the frame's width to the texture's width.
        package let log2Width: Int
        /// The binary logarithm of the ratio of the frame's height to the texture's height.
        package let log2Height: Int

        /// A Boolean value that indicates whether the CPU converts samples to the texture's format:
        /// see `SampleConverter`.
        var isConverted = false

        /// A Boolean value that indicates whether the view has only one component.
        var isAlone: Bool { format.channelCount == 1 && joinedPlane == nil }

        /// Returns the size of the texture for a frame of a given size. Subsampled sizes are
        /// rounded up.
        package func size(width: Int, height: Int) -> (width: Int, height: Int) {
            (
                (width + (1 << log2Width) - 1) >> log2Width,
                (height + (1 << log2Height) - 1) >> log2Height
            )
        }
    }

    /// The views of colour components, followed by the view of alpha if alpha has its own.
    package let views: [View]
    /// The number of views with colour components: 1 if all are in one view, 2 for luma and for Cb
    /// with Cr, 3 if each component has its own.
    package let colorViewCount: Int
    /// A Boolean value that indicates whether alpha has its own texture.
    package var hasAlphaView: Bool { views.count > colorViewCount }
    /// A Boolean value that indicates whether the second and third components are Cb and Cr.
    package let hasChroma: Bool

    /// A Boolean value that indicates whether two planes of the frame share a texture.
    package var isJoined: Bool { views.contains { $0.joinedPlane != nil } }

    /// A Boolean value that indicates whether the CPU converts some samples before they are
    /// uploaded.
    var isConverted: Bool { views.contains(where: \.isConverted) }

    /// Returns this layout with texture formats that an OpenGL ES implementation supports. The
    /// implementation may support 16-bit integers only as floats in the CPU's byte order, and
    /// 32-bit floats only as 16-bit floats.
    func fitting(_ capabilities: GLCapabilities, isBigEndian: Bool) -> PictureLayout {
        let features = capabilities.features
        let isSwapped = isBigEndian && !features.contains(.swappedUploads)
        let views = views.map { view in
            guard view.format.bytesPerChannel > 1 else { return view }
            let isConverted =
                isSwapped || (!view.format.isFloat && !features.contains(.textures16))
            guard isConverted || view.format.isFloat else { return view }
            var format = capabilities.filterable(view.format)
            if isConverted, !format.isFloat {
                format =
                    GLTextureFormat(
                        channelCount: format.channelCount, bytesPerChannel: 2, isFloat: true)
                    ?? format
            }
            return View(
                plane: view.plane, joinedPlane: view.joinedPlane, format: format,
                swizzle: view.swizzle, log2Width: view.log2Width, log2Height: view.log2Height,
                isConverted: isConverted)
        }
        return PictureLayout(
            views: views, colorViewCount: colorViewCount, hasChroma: hasChroma)
    }

    /// This layout with the planes of Cb and Cr in one texture, so that a shader reads fewer
    /// textures. If Cb and Cr have no planes of their own, the layout is not changed.
    package var joiningChroma: PictureLayout {
        guard hasChroma, colorViewCount == 3, views[1].isAlone, views[2].isAlone,
            views[1].format == views[2].format, !views[1].format.isFloat,
            let format = GLTextureFormat(
                channelCount: 2, bytesPerChannel: views[1].format.bytesPerChannel)
        else { return self }
        let joined = View(
            plane: views[1].plane, joinedPlane: views[2].plane, format: format,
            swizzle: .identity, log2Width: views[1].log2Width, log2Height: views[1].log2Height)
        return PictureLayout(
            views: [views[0], joined] + views.dropFirst(3), colorViewCount: 2, hasChroma: true)
    }

    private init(views: [View], colorViewCount: Int, hasChroma: Bool) {
        self.views = views
        self.colorViewCount = colorViewCount
        self.hasChroma = hasChroma
    }

    /// Creates the layout of a format.
    ///
    /// - Throws: `TextureError.unsupportedFormat`.
    package init(_ format: PixelFormat) throws(TextureError) {
        let colorCount = format.model == .gray ? 1 : 3
        guard format.components.count >= colorCount + (format.hasAlpha ? 1 : 0) else {
            throw .unsupportedFormat(format)
        }
        var places: [Place] = []
        for (index, component) in format.components.enumerated() {
            let isSubsampled = format.model == .yCbCr && (index == 1 || index == 2)
            guard
                let place = Place(
                    component, isFloat: format.isFloat, isSubsampled: isSubsampled)
            else { throw .unsupportedFormat(format) }
            places.append(place)
        }
        let color = Array(places[..<colorCount])
        let alpha = format.hasAlpha ? places[colorCount] : nil
        let isAlphaInFirst = alpha.map { $0.isBeside(color[0]) } ?? false
        let alphaSource =
            isAlphaInFirst
            ? GLTexture.Swizzle.Source(channel: alpha?.channel ?? 0) : GLTexture.Swizzle.Source.one

        let groups: [[Place]]
        if format.model == .gray {
            groups = [[color[0], color[0], color[0]]]
        } else if color[1].isBeside(color[0]), color[2].isBeside(color[0]) {
            groups = [color]
        } else if color[1].isBeside(color[2]), !color[1].isBeside(color[0]) {
            groups = [[color[0]], [color[1], color[2]]]
        } else if !color[0].isBeside(color[1]), !color[0].isBeside(color[2]) {
            groups = color.map { [$0] }
        } else {
            throw .unsupportedFormat(format)
        }
        let isDistinct = groups.allSatisfy {
            format.model == .gray || Set($0.map(\.channel)).count == $0.count
        }
        guard isDistinct else { throw .unsupportedFormat(format) }

        var views: [View] = []
        for (index, group) in groups.enumerated() {
            let view = Self.view(group, alpha: index == 0 ? alphaSource : .one, of: format)
            guard let view else { throw .unsupportedFormat(format) }
            views.append(view)
        }
        colorViewCount = views.count
        hasChroma = format.model == .yCbCr
        if let alpha, !isAlphaInFirst {
            guard let view = Self.view([alpha], alpha: .one, of: format) else {
                throw .unsupportedFormat(format)
            }
            views.append(view)
        }
        self.views = views
    }

    /// The position of a component, counted in channels of a texel.
    private struct Place {
        let plane: Int
        let channel: Int
        let channelCount: Int
        let bytesPerChannel: Int
        let isSubsampled: Bool

        init?(_ component: PixelFormat.Component, isFloat: Bool, isSubsampled: Bool) {
            let bits = component.depth + component.shift
            let bytes = isFloat ? component.depth / 8 : (bits <= 8 ? 1 : 2)
            guard bits <= (isFloat ? 32 : 16), bytes > 0, component.step % bytes == 0,
                component.offset % bytes == 0, (1...4).contains(component.step / bytes),
                component.offset < component.step
            else { return nil }
            plane = component.plane
            channel = component.offset / bytes
            channelCount = component.step / bytes
            bytesPerChannel = bytes
            self.isSubsampled = isSubsampled
        }

        /// Returns whether both components can be in one texel.
        func isBeside(_ other: Place) -> Bool {
            plane == other.plane && channelCount == other.channelCount
                && bytesPerChannel == other.bytesPerChannel
        }
    }

    private static func view(
        _ group: [Place], alpha: GLTexture.Swizzle.Source, of format: PixelFormat
    ) -> View? {
        let first = group[0]
        guard
            let texels = GLTextureFormat(
                channelCount: first.channelCount, bytesPerChannel: first.bytesPerChannel,
                isFloat: format.isFloat)
        else { return nil }
        func source(_ index: Int) -> GLTexture.Swizzle.Source {
            group.indices.contains(index) ? .init(channel: group[index].channel) : .zero
        }
        var swizzle = GLTexture.Swizzle(
            red: source(0), green: source(1), blue: source(2), alpha: alpha)
        // A texture with so few channels returns these values even without a swizzle.
        let natural = [GLTexture.Swizzle.Source.red, .green, .blue, .alpha]
        let given = [swizzle.red, swizzle.green, swizzle.blue, swizzle.alpha]
        let isNatural = (0..<4).allSatisfy {
            given[$0]
                == ($0 < first.channelCount ? natural[$0] : ($0 == 3 ? .one : .zero))
        }
        if isNatural { swizzle = .identity }
        return View(
            plane: first.plane, joinedPlane: nil, format: texels, swizzle: swizzle,
            log2Width: first.isSubsampled ? format.log2ChromaWidth : 0,
            log2Height: first.isSubsampled ? format.log2ChromaHeight : 0)
    }
}
