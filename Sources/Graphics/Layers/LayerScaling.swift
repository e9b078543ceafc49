// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTextures

/// How a layer's picture is brought to its size.
struct LayerScaling {
    var magnification: ScalingFilter
    var minification: ScalingFilter
    var usesLinearLight: Bool

    init(_ layer: Layer) {
        magnification = layer.magnificationFilter
        minification = layer.minificationFilter
        usesLinearLight = layer.scalesInLinearLight
    }

    /// Whether the processor's converter, which filters linearly, may do it.
    var isPlain: Bool { magnification == .linear && minification == .linear }

    /// The filter for a picture in its place; nil where it meets the target sample for pixel.
    func filter(for picture: PictureTextures, _ geometry: LayerGeometry) -> ScalingFilter? {
        let rect = geometry.rect
        if geometry.isExact(width: rect.width, height: rect.height, picture: picture) {
            return nil
        }
        let swaps = picture.attachments.orientation.swapsAxes
        let width = Double(swaps ? picture.height : picture.width) * geometry.contents.width
        let height = Double(swaps ? picture.width : picture.height) * geometry.contents.height
        return rect.width < width || rect.height < height ? minification : magnification
    }
}
