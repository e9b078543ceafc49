// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
package import PlayheadGL
package import PlayheadTextures

/// The planes of a video as they are stored, for effects that read them instead of R'G'B'.
package struct StoredPicture {
    /// The planes.
    package let picture: PictureTextures
    /// The map from the coordinates of `inputImage`, whose origin is the lower left corner, to the
    /// coordinates of the planes.
    package let matrix: GLMatrix3

    /// Creates a stored image.
    ///
    /// - Returns: nil if there are no planes, or if R'G'B' is not a linear map of them.
    package init?(picture: PictureTextures, matrix: GLMatrix3) {
        guard picture.layout.hasChroma, picture.conversion.stage == .none,
            picture.transform(to: PictureOutput(bitDepth: 8)).isIdentity
        else { return nil }
        self.picture = picture
        self.matrix = matrix
    }

    /// The factor that scales a texture's values so that the largest code value becomes 1. A 16-bit
    /// texture may hold 10-bit codes.
    var scale: Double {
        let depth = Double(1 << min(picture.bitDepth, 16))
        let signal = picture.conversion.signalScale.x
        guard picture.conversion.signalBias.x != 0 else { return signal }
        // ITU-T H.273, equation 23: limited range has 219 steps at 8 bits.
        return signal / ((depth - 1) / (219 * depth / 256))
    }

    /// Returns the precision for a copy of a plane, or nil if only floats represent its codes.
    ///
    /// Shaders read the values that mpv passes to them. mpv reads the stored textures, except for
    /// Cb and Cr in planes of their own, which it joins in an image of 16-bit floats. A copy of
    /// 8-bit codes has 8 bits, because Mesa's software OpenGL interpolates 8-bit textures with
    /// less precision than others.
    func precision(of plane: EffectPass.Plane) -> EffectPass.Precision? {
        let layout = picture.layout
        if plane == .chroma, layout.colorViewCount == 3 || layout.isJoined { return .half }
        return picture.bitDepth == 8 ? .eightBit : nil
    }

    /// Returns the size of the chroma planes for the size of the upright image.
    func chromaSize(width: Int, height: Int) -> (width: Int, height: Int) {
        let view = picture.layout.views[min(1, picture.layout.colorViewCount - 1)]
        guard picture.attachments.orientation.swapsAxes else {
            return view.size(width: width, height: height)
        }
        let size = view.size(width: height, height: width)
        return (size.height, size.width)
    }

    /// The map from a position in luma to the same position in chroma, in fractions of the
    /// upright images, whose rows run downwards: a factor, and an offset.
    var siting: (scale: SIMD2<Float>, offset: SIMD2<Float>) {
        let scale = SIMD2<Float>(picture.siting.scale)
        let offset = SIMD2<Float>(picture.siting.offset)
        let upperLeft = matrix.point(SIMD2(0, 1))
        let shift = matrix.source(ofDifference: offset + (scale - 1) * upperLeft) ?? SIMD2(0, 0)
        let swaps = picture.attachments.orientation.swapsAxes
        return (swaps ? SIMD2(scale.y, scale.x) : scale, SIMD2(shift.x, -shift.y))
    }
}
