// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
import PlayheadTextures

/// The frame or image that a layer shows. It is in textures or, if the CPU converts it, in memory.
enum LayerPicture {
    case textures(PictureTextures)
    case buffer(PixelBuffer)

    var identifier: UInt64 {
        switch self {
        case .textures(let picture): picture.identifier
        case .buffer(let buffer): buffer.identifier
        }
    }

    /// The display size: with pixel aspect ratio and orientation applied.
    var displaySize: (width: Double, height: Double) {
        switch self {
        case .textures(let picture): picture.displaySize
        case .buffer(let buffer): buffer.displaySize
        }
    }

    /// The stored size, with the orientation applied: the size of the upright frame in samples.
    var uprightSize: (width: Double, height: Double) {
        let (width, height) =
            switch self {
            case .textures(let picture): (Double(picture.width), Double(picture.height))
            case .buffer(let buffer): (Double(buffer.width), Double(buffer.height))
            }
        return orientation.swapsAxes ? (height, width) : (width, height)
    }

    var orientation: PictureOrientation {
        switch self {
        case .textures(let picture): picture.attachments.orientation
        case .buffer(let buffer): buffer.attachments.orientation
        }
    }
}

extension LayerGeometry {
    /// Returns the part of the stored frame that the CPU converts, if the upright frame is drawn at
    /// a given size in pixels. If the orientation swaps width and height, the output's width and
    /// height are swapped too.
    func part(
        _ orientation: PictureOrientation, width: Int, height: Int
    ) -> ConversionPart {
        let first = orientation.stored(contents.point(0, 0))
        let last = orientation.stored(contents.point(1, 1))
        return ConversionPart(
            x: first.x, y: first.y, width: last.x - first.x, height: last.y - first.y,
            outputWidth: orientation.swapsAxes ? height : width,
            outputHeight: orientation.swapsAxes ? width : height)
    }

    /// Returns whether the whole rectangle is within a target.
    func isInside(_ target: RenderTarget) -> Bool {
        rect.x >= 0 && rect.y >= 0 && rect.x + rect.width <= Double(target.width)
            && rect.y + rect.height <= Double(target.height)
    }

    /// Returns whether the rectangle covers all of a target.
    func covers(_ target: RenderTarget) -> Bool {
        rect.x <= 0 && rect.y <= 0 && rect.x + rect.width >= Double(target.width)
            && rect.y + rect.height >= Double(target.height)
    }
}
