// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadGL
import PlayheadTextures

/// The rectangle to which a frame or image is drawn, and the part of it that is shown. They follow
/// from the layer's frame and gravity, and from the pixel aspect ratio and orientation.
struct LayerGeometry: Equatable {
    /// The rectangle, in pixels of the target, with edges at whole pixels. For a layer that is
    /// rotated or scaled, it is in the layer's own pixels.
    var rect: LayerRect
    /// The part of the content that is shown, in fractions of the upright frame or image.
    var contents: LayerRect

    /// The geometry that draws all of the content to the unit square.
    static let whole = LayerGeometry(
        size: (1, 1), frame: .unit, contents: .unit, gravity: .resize)

    /// Creates a geometry.
    ///
    /// - Parameters:
    ///   - size: the size of the upright frame or image, in square pixels.
    ///   - roundsEdges: true to round the edges of the rectangle to whole pixels.
    init(
        size: (width: Double, height: Double), frame: LayerRect, contents: LayerRect,
        gravity: LayerGravity, roundsEdges: Bool = true
    ) {
        var rect = frame
        var contents = contents
        let width = size.width * contents.width
        let height = size.height * contents.height
        if width > 0, height > 0, frame.width > 0, frame.height > 0 {
            // If the value is above 1, the content is wider in shape than the frame.
            let shape = (width / height) / (frame.width / frame.height)
            switch gravity {
            case .resize: break
            case .resizeAspect:
                if shape > 1 {
                    rect.height = frame.height / shape
                    rect.y += (frame.height - rect.height) / 2
                } else {
                    rect.width = frame.width * shape
                    rect.x += (frame.width - rect.width) / 2
                }
            case .resizeAspectFill:
                if shape > 1 {
                    let kept = contents.width / shape
                    contents.x += (contents.width - kept) / 2
                    contents.width = kept
                } else {
                    let kept = contents.height * shape
                    contents.y += (contents.height - kept) / 2
                    contents.height = kept
                }
            case .center, .top, .bottom, .left, .right, .topLeft, .topRight, .bottomLeft,
                .bottomRight:
                let place = gravity.place ?? SIMD2(0.5, 0.5)
                Self.place(width, place.x, &rect.x, &rect.width, &contents.x, &contents.width)
                Self.place(height, place.y, &rect.y, &rect.height, &contents.y, &contents.height)
            }
        }
        self.contents = contents
        guard roundsEdges else {
            self.rect = rect
            return
        }
        // If edges were between pixels, there would be gaps or overlaps of half a pixel, and
        // content whose samples match the pixels would be blurred.
        let right = (rect.x + rect.width).rounded()
        let bottom = (rect.y + rect.height).rounded()
        rect.x = rect.x.rounded()
        rect.y = rect.y.rounded()
        rect.width = right - rect.x
        rect.height = bottom - rect.y
        self.rect = rect
    }

    /// Positions content of a given length in a frame, along one axis, without scaling it, and
    /// clips it to the frame.
    private static func place(
        _ length: Double, _ share: Double, _ start: inout Double, _ extent: inout Double,
        _ contentsStart: inout Double, _ contentsExtent: inout Double
    ) {
        if length <= extent {
            start += ((extent - length) * share).rounded()
            extent = length
        } else {
            let kept = contentsExtent * extent / length
            contentsStart += (contentsExtent - kept) * share
            contentsExtent = kept
        }
    }

    /// The rectangle of the whole content, including the parts that are clipped.
    var wholeRect: LayerRect {
        guard contents.width > 0, contents.height > 0 else { return rect }
        let (width, height) = (rect.width / contents.width, rect.height / contents.height)
        return LayerRect(
            x: rect.x - contents.x * width, y: rect.y - contents.y * height, width: width,
            height: height)
    }

    /// Returns whether any part of the rectangle is within a target.
    func isVisible(in target: RenderTarget) -> Bool {
        rect.width > 0 && rect.height > 0 && contents.width > 0 && contents.height > 0
            && rect.x < Double(target.width) && rect.y < Double(target.height)
            && rect.x + rect.width > 0 && rect.y + rect.height > 0
    }

    /// Returns the map from the unit square, with (0, 0) at the top left, to clip space.
    func position(in target: RenderTarget) -> GLMatrix3 {
        func clip(_ x: Double, _ y: Double) -> SIMD2<Double> {
            let point = rect.point(x, y)
            let up = 1 - 2 * point.y / Double(target.height)
            return SIMD2(2 * point.x / Double(target.width) - 1, target.isTopRowFirst ? -up : up)
        }
        return GLMatrix3(origin: clip(0, 0), right: clip(1, 0), down: clip(0, 1))
    }

    /// Returns the map from the unit square, with (0, 0) at the top left, to the texture
    /// coordinates of the stored frame.
    func texture(_ orientation: PictureOrientation) -> GLMatrix3 {
        func stored(_ x: Double, _ y: Double) -> SIMD2<Double> {
            orientation.stored(contents.point(x, y))
        }
        return GLMatrix3(origin: stored(0, 0), right: stored(1, 0), down: stored(0, 1))
    }

    /// Returns the same map as `texture(_:)`, as a corner and two steps.
    func textureFrame(_ orientation: PictureOrientation) -> TextureFrame {
        let origin = orientation.stored(contents.point(0, 0))
        return TextureFrame(
            origin: origin, right: orientation.stored(contents.point(1, 0)) - origin,
            down: orientation.stored(contents.point(0, 1)) - origin)
    }

    /// Returns the map from the unit square, with (0, 0) at the bottom left as in ISF, to the
    /// texture coordinates of the stored frame.
    func textureFromBottom(_ orientation: PictureOrientation) -> GLMatrix3 {
        func stored(_ x: Double, _ y: Double) -> SIMD2<Double> {
            orientation.stored(contents.point(x, y))
        }
        return GLMatrix3(origin: stored(0, 1), right: stored(1, 1), down: stored(0, 0))
    }

    /// The map from the unit square to all of a texture whose t = 0 is the bottom.
    static let wholeFromBottom = GLMatrix3(
        origin: SIMD2(0, 1), right: SIMD2(1, 1), down: SIMD2(0, 0))

    /// Returns whether content that is drawn at a size has exactly one sample for each of the
    /// target's pixels.
    func isExact(
        width: Double, height: Double, picture: PictureTextures
    ) -> Bool {
        let swaps = picture.attachments.orientation.swapsAxes
        let stored = (
            width: Double(swaps ? picture.height : picture.width),
            height: Double(swaps ? picture.width : picture.height)
        )
        func isNear(_ left: Double, _ right: Double) -> Bool { abs(left - right) < 1e-6 }
        func isWhole(_ value: Double) -> Bool { isNear(value, value.rounded()) }
        return isNear(contents.width * stored.width, width)
            && isNear(contents.height * stored.height, height)
            && isWhole(contents.x * stored.width) && isWhole(contents.y * stored.height)
    }
}

extension PictureOrientation {
    /// Returns the point of the stored frame for a point of the upright frame. Both are in
    /// fractions, with y downwards.
    func stored(_ upright: SIMD2<Double>) -> SIMD2<Double> {
        var point = upright
        // A quarter turn clockwise takes the stored (x, y) to (1 - y, x).
        for _ in 0..<quarterTurns { point = SIMD2(point.y, 1 - point.x) }
        return isMirrored ? SIMD2(1 - point.x, point.y) : point
    }
}
