// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadGL
import PlayheadTextures

/// A layer that is ready to be drawn: a source, with effects applied, and its position on the
/// target.
struct LayerDrawable {
    enum Source {
        case picture(PictureTextures, LayerScaling)
        /// A frame that the CPU converted at its size on the target.
        case converted(GLFramebuffer, ConvertedPictureRequest, PictureOrientation)
        /// The result of effects, in the colour space of effects.
        case texture(GLFramebuffer, PictureAlpha)
        /// A texture in the target's own values, premultiplied, with its bottom row first.
        case plain(GLTexture)
        /// A group of layers that was drawn to an image, premultiplied. The image has one texel for
        /// each pixel of a part of the target.
        case group(GLTexture)
        case color(SIMD4<Float>)
    }

    var source: Source
    /// The geometry. If the layer is rotated or scaled, it is in the layer's own pixels, otherwise
    /// in the target's pixels.
    var geometry: LayerGeometry
    var opacity: Float
    var blendMode = BlendMode.normal
    /// The map from the pixels of `geometry` to those of the target.
    var map = PlaneMap.identity
    /// The shape that clips the layer. It is nil if nothing is clipped and all edges are at whole
    /// pixels.
    var shape: LayerShape?
    /// The pixels of the target that the layer may touch. They are within the target.
    var region: LayerRect
    /// A Boolean value that indicates whether the drawable replaces the target's contents even
    /// where it is transparent.
    var isBackground = false
    /// A framebuffer that is returned to the pool after the layer has been drawn.
    var lent: GLFramebuffer?

    /// A Boolean value that indicates whether the drawable can be drawn as one quad, like a plain
    /// video.
    var isSimple: Bool {
        guard shape == nil, blendMode == .normal, map == .identity else { return false }
        switch source {
        case .picture, .converted, .texture: return true
        case .group, .plain, .color: return false
        }
    }

    /// A Boolean value that indicates whether the drawable hides everything behind it.
    var isOpaque: Bool {
        guard opacity == 1, shape == nil else { return false }
        if isBackground { return true }
        switch source {
        case .picture(let picture, _): return !picture.hasAlpha
        case .converted: return true
        case .texture(_, let alpha): return alpha == .opaque
        case .group, .plain: return false
        case .color(let color): return color.w >= 1
        }
    }

    /// Returns whether the drawable replaces all pixels of a target.
    func covers(_ target: RenderTarget) -> Bool {
        isSimple && isOpaque && geometry.covers(target)
    }

    /// Returns the filters with which a frame's samples are read for the target's pixels.
    func sampling(
        of picture: PictureTextures, _ scaling: LayerScaling
    ) -> PicturePainter.Sampling {
        if scaling.filter(for: picture, geometry) == .nearest { return .exactAll }
        guard map == .identity else { return .scaled }
        return geometry.sampling(
            of: picture, width: geometry.rect.width, height: geometry.rect.height)
    }

    /// The scaling filter that requires separate passes; nil if the filter of a sampler suffices.
    var passFilter: ScalingFilter? {
        guard map == .identity, case .picture(let picture, let scaling) = source,
            let filter = scaling.filter(for: picture, geometry), !filter.isPlain
        else { return nil }
        return filter
    }

    /// Returns the sampler's filter for a texture that contains the result for this layer.
    func filter(of texture: GLTexture) -> GLSampler.Filter {
        let isExact =
            map == .identity && Int(geometry.rect.width) == texture.width
            && Int(geometry.rect.height) == texture.height
        return isExact ? .nearest : .linear
    }
}

extension LayerGeometry {
    func sampling(
        of picture: PictureTextures, width: Double, height: Double
    ) -> PicturePainter.Sampling {
        guard isExact(width: width, height: height, picture: picture) else { return .scaled }
        return picture.isSubsampled ? .exact : .exactAll
    }
}
