// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// Draws frames with and without the key, and measures the time that keys take.
final class KeyerPainter {
    private let context: HeadlessContext
    private let renderer: VideoRenderer
    private let framebuffer: GLFramebuffer
    private let key: EffectInstance

    init() throws {
        context = try HeadlessContext()
        renderer = VideoRenderer(context: context)
        framebuffer = try GLFramebuffer(
            width: KeyerScene.width, height: KeyerScene.height, context: context)
        key = EffectInstance(try EffectLibrary.effect(named: "chroma_key"))
        try key.set(.color(SIMD4(SIMD3<Float>(KeyerScene.key), 1)), for: "keyColor")
    }

    deinit { context.clearCurrent() }

    /// Returns alpha, and colour multiplied by it.
    func keyed(_ picture: PixelBuffer) throws -> [(alpha: Double, color: SIMD3<Double>)] {
        try values(picture, effects: [key]).map { ($0.w, SIMD3($0.x, $0.y, $0.z)) }
    }

    /// Returns R'G'B' as displayed.
    func shot(_ picture: PixelBuffer) throws -> [SIMD3<Double>] {
        try values(picture, effects: []).map { SIMD3($0.x, $0.y, $0.z) }
    }

    private func values(
        _ picture: PixelBuffer, effects: [EffectInstance]
    ) throws -> [SIMD4<Double>] {
        let scene = Scene(
            background: .color(SIMD4()), layers: [Layer(.image(picture), effects: effects)])
        let report = renderer.render(scene, hostTime: .zero, into: RenderTarget(framebuffer))
        for problem in report.problems { throw CannotProve("keyer: \(problem)") }
        let bytes = framebuffer.image().bytes
        var values: [SIMD4<Double>] = []
        values.reserveCapacity(bytes.count / 4)
        for index in stride(from: 0, to: bytes.count, by: 4) {
            let pixel = SIMD4(bytes[index], bytes[index + 1], bytes[index + 2], bytes[index + 3])
            values.append(SIMD4<Double>(pixel) / 255)
        }
        return values
    }

    /// Returns the time to draw each key, in milliseconds. The formulas of the other keys are run
    /// as shaders of our own. The keys are drawn alternately in many rounds, and the shortest time
    /// counts.
    func costs(
        in folder: TemporaryFolder, rounds: Int
    ) throws -> [(name: String, milliseconds: Double)] {
        var effects = [("chroma_key", key)]
        for (name, text) in [("distance, 9 samples", Self.distance), ("angle", Self.angle)] {
            let path = folder.appending("\(name).fs").path
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            effects.append((name, EffectInstance(try EffectLibrary.effect(path: path))))
        }
        let pool = FramebufferPool(context: context)
        let drawer = EffectRenderer(
            context: context, painter: PicturePainter(context: context), pool: pool,
            images: TextureCache(context: context))
        let input = try GLFramebuffer(width: 1280, height: 720, context: context)
        GLState.setTarget(framebuffer: input.name, width: 1280, height: 720)
        GLState.clear(SIMD4(SIMD3<Float>(KeyerScene.key), 1))
        var shortest = [Double](repeating: .infinity, count: effects.count)
        for _ in 0..<rounds {
            GLState.beginFrame()
            for (index, effect) in effects.enumerated() {
                let start = HostClock.nanoseconds
                let output = drawer.draw(
                    effect.1, input: input.texture, width: 1280, height: 720,
                    time: EffectTime(seconds: 0))
                GLState.finish()
                shortest[index] = min(
                    shortest[index], Double(HostClock.nanoseconds - start) / 1e6)
                if let output { pool.release(output.framebuffer) }
            }
        }
        if let error = drawer.takeErrors().first { throw CannotProve("keyer: \(error)") }
        return zip(effects, shortest).map { ($0.0, $1) }
    }

    private static let head = """
        /*{ "ISFVSN": "2", "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
        const vec3 lumaOf = vec3(0.2126, 0.7152, 0.0722);
        vec2 chroma(vec3 c) { float y = dot(c, lumaOf); return vec2(c.b - y, c.r - y) / vec2(1.8556, 1.5748); }

        """

    /// `DistanceRival`.
    private static let distance =
        head + """
            void main() {
                vec4 source = IMG_THIS_PIXEL(inputImage);
                float sum = 0.0;
                for (int y = -1; y < 2; y++) for (int x = -1; x < 2; x++)
                    sum += distance(chroma(IMG_PIXEL(inputImage, gl_FragCoord.xy + vec2(x, y)).rgb),
                        chroma(vec3(0.0, 1.0, 0.0)));
                float beyond = sum / 9.0 - 0.4;
                float alpha = pow(clamp(beyond / 0.08, 0.0, 1.0), 1.5);
                float kept = pow(clamp(beyond / 0.1, 0.0, 1.0), 1.5);
                gl_FragColor = vec4(mix(vec3(dot(source.rgb, lumaOf)), source.rgb, kept), alpha);
            }
            """

    /// `AngleRival`.
    private static let angle =
        head + """
            void main() {
                vec4 source = IMG_THIS_PIXEL(inputImage);
                vec3 key = vec3(0.0744, 0.651, 0.2511);
                vec2 target = chroma(key), own = chroma(source.rgb);
                float reach = length(target), slope = tan(radians(20.0));
                vec2 axis = target / reach;
                float x = dot(own, axis), z = own.y * axis.x - own.x * axis.y;
                if (abs(z) > x * slope) { gl_FragColor = source; return; }
                float behind = x - abs(z) / slope;
                float alpha = clamp(1.0 - behind / reach, 0.0, 1.0);
                float luma = dot(source.rgb, lumaOf) - clamp(behind / reach, 0.0, 1.0) * dot(key, lumaOf);
                x = abs(z) / slope;
                vec2 c = vec2(x * axis.x - z * axis.y, x * axis.y + z * axis.x);
                float r = luma + 1.5748 * c.y, b = luma + 1.8556 * c.x;
                gl_FragColor = vec4(r, (luma - 0.2126 * r - 0.0722 * b) / 0.7152, b, alpha);
            }
            """
}
