// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadTextures

/// The attributes of a layer, as `instance.vert` reads them.
struct LayerInstance {
    static let vectorCount = MemoryLayout<LayerInstance>.stride / MemoryLayout<SIMD4<Float>>.stride

    private let map0, map1, map2: SIMD4<Float>
    private let picture, bounds, mask: SIMD4<Float>
    private let textureX, textureY: SIMD4<Float>
    private let tint, options: SIMD4<Float>

    /// Creates the attributes.
    ///
    /// - Parameters:
    ///   - texture: the map to texture coordinates. For a group, it maps from pixels of the target,
    ///     as OpenGL counts them; otherwise from fractions of the content, with (0, 0) at the top
    ///     left.
    ///   - outset: the width of the margin that is drawn around the layer, in the layer's own
    ///     pixels.
    init(
        _ drawable: LayerDrawable, in target: RenderTarget, texture: TextureFrame,
        tint: SIMD4<Float>, outset: SIMD2<Double>
    ) {
        let map = target.clip.after(drawable.map)
        let rect = drawable.geometry.rect
        let shape = drawable.shape ?? LayerShape(bounds: rect)
        map0 = Self.vector(map.x, Double(drawable.opacity))
        map1 = Self.vector(map.y, shape.isCutByGroup ? -1 : shape.cornerRadius)
        map2 = Self.vector(map.one, shape.maskRadius)
        picture = Self.vector(rect)
        bounds = Self.vector(shape.bounds)
        mask = Self.vector(shape.maskRect)
        textureX = SIMD4<Float>(
            SIMD4<Double>(lowHalf: texture.origin, highHalf: texture.right))
        textureY = SIMD4<Float>(SIMD4<Double>(lowHalf: texture.down, highHalf: outset))
        self.tint = tint
        options = SIMD4(Float(shape.mask.rawValue), 0, 0, 0)
    }

    private static func vector(_ column: SIMD3<Double>, _ fourth: Double) -> SIMD4<Float> {
        SIMD4<Float>(SIMD4<Double>(column, fourth))
    }

    private static func vector(_ rect: LayerRect) -> SIMD4<Float> {
        SIMD4(Float(rect.x), Float(rect.y), Float(rect.width), Float(rect.height))
    }
}

/// A part of a texture: its corner, and the steps to its right and lower edges.
struct TextureFrame {
    var origin: SIMD2<Double>
    var right: SIMD2<Double>
    var down: SIMD2<Double>

    /// All of a texture whose t = 0 is the bottom.
    static let wholeFromBottom = TextureFrame(
        origin: SIMD2(0, 1), right: SIMD2(1, 0), down: SIMD2(0, -1))
    static let none = TextureFrame(origin: SIMD2(0, 0), right: SIMD2(0, 0), down: SIMD2(0, 0))
}

extension RenderTarget {
    /// The map from pixels, y down, to clip space.
    var clip: PlaneMap {
        let (x, y) = (2 / Double(width), 2 / Double(height))
        return isTopRowFirst
            ? PlaneMap(x: SIMD3(x, 0, 0), y: SIMD3(0, y, 0), one: SIMD3(-1, -1, 1))
            : PlaneMap(x: SIMD3(x, 0, 0), y: SIMD3(0, -y, 0), one: SIMD3(-1, 1, 1))
    }

    var bounds: LayerRect {
        LayerRect(x: 0, y: 0, width: Double(width), height: Double(height))
    }

    /// The encoding of the values that are drawn to the target.
    var output: PictureOutput {
        PictureOutput(colorSpace: colorSpace, bitDepth: bitDepth)
    }

    /// The texture format of intermediate results, which keeps the target's precision.
    var texelFormat: GLTextureFormat { bitDepth == 8 ? .rgba8 : .rgba16Float }

    /// Returns the lower edge of a rectangle of whole pixels, counted from the bottom as in OpenGL.
    func lowerEdge(of rect: LayerRect) -> Int {
        isTopRowFirst ? Int(rect.y) : height - Int(rect.y) - Int(rect.height)
    }
}
