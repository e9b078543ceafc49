// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadTextures

extension EffectRenderer {
    /// Reads a pixel of a texture; waits for it, which is for when somebody has clicked.
    func reading(
        _ name: String, of texture: GLTexture, at point: SIMD2<Float>
    ) throws(EffectError) -> EffectProbe.Reading {
        do throws(GLError) {
            let single = try pool.acquire(format: .rgba32Float, width: 1, height: 1)
            defer { pool.release(single) }
            GLState.setTarget(framebuffer: single.name, width: 1, height: 1)
            GLState.setBlending(.replace)
            let texel = Self.texel(at: point, width: texture.width, height: texture.height)
            let place = SIMD2(
                (Double(texel.x) + 0.5) / Double(texture.width),
                (Double(texel.y) + 0.5) / Double(texture.height))
            try painter.draw(
                texture, alpha: .straight,
                geometry: QuadGeometry(
                    position: QuadGeometry.storedWhole.position,
                    texture: GLMatrix3(origin: place, right: place, down: place)),
                filter: .nearest, alphaOut: .straight)
            return EffectProbe.Reading(name: name, value: single.value(x: 0, y: 0))
        } catch {
            throw .gl(error)
        }
    }

    /// The texel of a picture that a point lies in.
    static func texel(
        at point: SIMD2<Float>, width: Int, height: Int
    ) -> (x: Int, y: Int) {
        func index(_ share: Float, _ count: Int) -> Int {
            min(max(Int(share * Float(count)), 0), count - 1)
        }
        return (index(point.x, width), index(point.y, height))
    }
}
