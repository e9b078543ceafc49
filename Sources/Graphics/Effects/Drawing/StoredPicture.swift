// SPDX-License-Identifier: Apache-2.0

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

    /// Returns the size of the chroma planes for an image size.
    func chromaSize(width: Int, height: Int) -> (width: Int, height: Int) {
        let view = picture.layout.views[min(1, picture.layout.colorViewCount - 1)]
        return view.size(width: width, height: height)
    }

    /// The position of the chroma samples relative to luma, in fractions of the image.
    var siting: SIMD2<Float> {
        let transform = picture.siting.transform
        return SIMD2(transform.z, transform.w)
    }
}
