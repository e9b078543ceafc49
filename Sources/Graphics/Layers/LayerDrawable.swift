// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadGL
import PlayheadTextures

/// What a layer comes to once its effects are applied: something to read, and where it is seen.
struct LayerDrawable {
    enum Source {
        case picture(PictureTextures, LayerScaling)
        /// Converted by the processor at the size it is drawn at.
        case converted(GLFramebuffer, ConvertedPictureCache.Request, PictureOrientation)
        /// What effects made, in the numbers that effects know.
        case texture(GLFramebuffer, PicturePainter.Alpha)
        /// Premultiplied, in the target's own numbers, its bottom row first.
        case plain(GLTexture)
        /// Layers drawn together for a part of the target, pixel for pixel, premultiplied.
        case group(GLTexture)
        case color(SIMD4<Float>)
    }

    var source: Source
    /// In the layer's own pixels where it is turned or scaled, else in the target's.
    var geometry: LayerGeometry
    var opacity: Float
    var blendMode = BlendMode.normal
    /// Those pixels to the target's.
    var map = PlaneMap.identity
    /// What is cut off; nil where edges lie between pixels and nothing is.
    var shape: LayerShape?
    /// The pixels of the target that it may touch, within the target.
    var region: LayerRect
    /// Whether it takes the place of what was in the target, where it is transparent too.
    var isBackground = false
    /// Handed back to the pool once this is drawn.
    var lent: GLFramebuffer?

    /// Whether one quad, drawn as films are, is all there is to it.
    var isSimple: Bool {
        guard shape == nil, blendMode == .normal, map == .identity else { return false }
        switch source {
        case .picture, .converted, .texture: return true
        case .group, .plain, .color: return false
        }
    }

    /// Whether nothing that lies behind it shows.
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

    /// Whether nothing of what was in the target is left once it is drawn.
    func covers(_ target: RenderTarget) -> Bool {
        isSimple && isOpaque && geometry.covers(target)
    }

    /// How a picture's samples meet the target's pixels.
    func sampling(
        of picture: PictureTextures, _ scaling: LayerScaling
    ) -> PicturePainter.Sampling {
        if scaling.filter(for: picture, geometry) == .nearest { return .exactAll }
        guard map == .identity else { return .scaled }
        return geometry.sampling(
            of: picture, width: geometry.rect.width, height: geometry.rect.height)
    }

    /// The filter that has to be applied before it is drawn; nil where reading it does.
    var passFilter: ScalingFilter? {
        guard map == .identity, case .picture(let picture, let scaling) = source,
            let filter = scaling.filter(for: picture, geometry), !filter.isPlain
        else { return nil }
        return filter
    }

    /// Likewise, of a texture of a layer's own.
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
