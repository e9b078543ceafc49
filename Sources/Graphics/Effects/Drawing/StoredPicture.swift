// SPDX-License-Identifier: Apache-2.0

import PlayheadConversion
package import PlayheadGL
package import PlayheadTextures

/// The planes of a video as they are stored, for effects that read them instead of R'G'B'.
package struct StoredPicture {
    /// The planes.
    package let picture: PictureTextures
    /// Maps the coordinates of `inputImage`, whose origin is bottom left, to those of the picture.
    package let matrix: GLMatrix3

    /// Creates a stored picture.
    ///
    /// - Returns: nil if R'G'B' is more than a linear map of the planes, or there are no planes.
    package init?(picture: PictureTextures, matrix: GLMatrix3) {
        guard picture.layout.hasChroma, picture.conversion.stage == .none,
            picture.transform(to: PictureOutput(bitDepth: 8)).isIdentity
        else { return nil }
        self.picture = picture
        self.matrix = matrix
    }

    /// The factor from what a texture returns to values of which 1 is the largest code: textures of
    /// 16 bits may hold 10.
    var scale: Double {
        let depth = Double(1 << min(picture.bitDepth, 16))
        let signal = picture.conversion.signalScale.x
        guard picture.conversion.signalBias.x != 0 else { return signal }
        // ITU-T H.273, equation 23: 219 steps of 8 bits in limited range.
        return signal / ((depth - 1) / (219 * depth / 256))
    }

    /// The size of the chroma planes of an image of a size.
    func chromaSize(width: Int, height: Int) -> (width: Int, height: Int) {
        let view = picture.layout.views[min(1, picture.layout.colorViewCount - 1)]
        return view.size(width: width, height: height)
    }

    /// The place of the chroma planes relative to luma, in fractions of the image.
    var siting: SIMD2<Float> {
        let transform = picture.siting.transform
        return SIMD2(transform.z, transform.w)
    }
}
