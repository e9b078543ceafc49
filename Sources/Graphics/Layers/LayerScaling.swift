// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTextures

/// The filters that scale a layer's content.
struct LayerScaling {
    var magnification: ScalingFilter
    var minification: ScalingFilter
    var usesLinearLight: Bool

    init(_ layer: Layer) {
        magnification = layer.magnificationFilter
        minification = layer.minificationFilter
        usesLinearLight = layer.scalesInLinearLight
    }

    /// A Boolean value that indicates whether the CPU's converter, which filters linearly, may
    /// scale the content.
    var isPlain: Bool { magnification == .linear && minification == .linear }

    /// Returns the filter for a frame at its size on the target; nil if each sample is exactly one
    /// pixel.
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
