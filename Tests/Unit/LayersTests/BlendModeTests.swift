// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

@Suite("Blend modes", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct BlendModeTests {
    private typealias S = LayerScene
    private typealias Color = SIMD4<Double>

    /// The formulas of "Compositing and Blending Level 1", in their original notation: straight
    /// colours in, premultiplied out.
    private static func composite(_ mode: BlendMode, _ s: Color, over b: Color) -> Color {
        // Porter and Duff's fractions of source and backdrop, section 9.1.
        let shares: (Double, Double)? =
            switch mode {
            case .clear: (0, 0)
            case .copy: (1, 0)
            case .destination: (0, 1)
            case .destinationOver: (1 - b.w, 1)
            case .sourceIn: (b.w, 0)
            case .destinationIn: (0, s.w)
            case .sourceOut: (1 - b.w, 0)
            case .destinationOut: (0, 1 - s.w)
            case .sourceAtop: (b.w, 1 - s.w)
            case .destinationAtop: (1 - b.w, s.w)
            case .xor: (1 - b.w, 1 - s.w)
            case .plusLighter: (1, 1)
            default: nil
            }
        let (cs, cb) = (SIMD3(s.x, s.y, s.z), SIMD3(b.x, b.y, b.z))
        if let (fs, fb) = shares {
            let color = cs * s.w * fs + cb * b.w * fb
            return pointwiseMin(
                Color(color, s.w * fs + b.w * fb), Color(repeating: 1))
        }
        let mixed = (1 - b.w) * cs + b.w * blended(mode, cb, cs)
        return Color(s.w * mixed + (1 - s.w) * b.w * cb, s.w + b.w * (1 - s.w))
    }

    private static func blended(
        _ mode: BlendMode, _ cb: SIMD3<Double>, _ cs: SIMD3<Double>
    ) -> SIMD3<Double> {
        func each(_ function: (Double, Double) -> Double) -> SIMD3<Double> {
            [function(cb.x, cs.x), function(cb.y, cs.y), function(cb.z, cs.z)]
        }
        switch mode {
        case .multiply: return cb * cs
        case .screen: return cb + cs - cb * cs
        case .overlay: return each { hardLight($1, $0) }
        case .darken: return each(min)
        case .lighten: return each(max)
        case .colorDodge: return each { $0 == 0 ? 0 : $1 == 1 ? 1 : min(1, $0 / (1 - $1)) }
        case .colorBurn: return each { $0 == 1 ? 1 : $1 == 0 ? 0 : 1 - min(1, (1 - $0) / $1) }
        case .hardLight: return each(hardLight)
        case .softLight:
            return each { b, s in
                let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
                return s <= 0.5
                    ? b - (1 - 2 * s) * b * (1 - b) : b + (2 * s - 1) * (d - b)
            }
        case .difference: return each { abs($0 - $1) }
        case .exclusion: return cb + cs - 2 * cb * cs
        case .hue: return setLum(setSat(cs, sat(cb)), lum(cb))
        case .saturation: return setLum(setSat(cb, sat(cs)), lum(cb))
        case .color: return setLum(cs, lum(cb))
        case .luminosity: return setLum(cb, lum(cs))
        default: return cs
        }
    }

    private static func hardLight(_ b: Double, _ s: Double) -> Double {
        s <= 0.5 ? b * 2 * s : b + (2 * s - 1) - b * (2 * s - 1)
    }
    private static func lum(_ c: SIMD3<Double>) -> Double { 0.3 * c.x + 0.59 * c.y + 0.11 * c.z }
    private static func sat(_ c: SIMD3<Double>) -> Double { c.max() - c.min() }
    private static func setLum(_ c: SIMD3<Double>, _ l: Double) -> SIMD3<Double> {
        var c = c + (l - lum(c))
        let (l, n, x) = (lum(c), c.min(), c.max())
        if n < 0 { c = SIMD3(repeating: l) + (c - l) * l / (l - n) }
        if x > 1 { c = SIMD3(repeating: l) + (c - l) * (1 - l) / (x - l) }
        return c
    }
    private static func setSat(_ c: SIMD3<Double>, _ s: Double) -> SIMD3<Double> {
        var values = [c.x, c.y, c.z]
        let order = values.indices.sorted { values[$0] < values[$1] }
        let (low, middle, high) = (order[0], order[1], order[2])
        if values[high] > values[low] {
            values[middle] = (values[middle] - values[low]) * s / (values[high] - values[low])
            values[high] = s
        } else {
            (values[middle], values[high]) = (0, 0)
        }
        values[low] = 0
        return [values[0], values[1], values[2]]
    }

    /// Returns colours for the columns and rows of a table, with various alphas.
    private static func table(_ seed: Double) -> [Color] {
        (0..<9).map { index in
            func value(_ step: Double) -> Double {
                let value = (Double(index) * step + seed).truncatingRemainder(dividingBy: 1)
                return (value * 255).rounded() / 255
            }
            let alpha = [1, 0.6, 0.2][index % 3]
            return Color(value(0.37), value(0.61), value(0.83), (alpha * 255).rounded() / 255)
        }
    }

    private static func picture(_ colors: [Color], isColumns: Bool) -> PixelBuffer {
        TestPictures.rgba(width: 9, height: 9) { x, y in
            let color = colors[isColumns ? x : y] * 255
            return SIMD4<UInt8>(color.rounded(.toNearestOrEven))
        }
    }

    @Test(arguments: BlendMode.allCases)
    func `each mode computes the W3C's formula at every alpha`(mode: BlendMode) throws {
        let (backs, sources) = (Self.table(0.05), Self.table(0.41))
        var layer = Layer(.image(Self.picture(sources, isColumns: false)))
        layer.blendMode = mode
        let scene = Scene(
            background: .color([0, 0, 0, 0]),
            layers: [Layer(.image(Self.picture(backs, isColumns: true))), layer])
        let image = try S.draw(scene, width: 9, height: 9)
        // A backdrop of low alpha is stored in eight bits, premultiplied: the division is off by up
        // to half a value in 51.
        S.expect(image, within: 4, "\(mode)") { x, y in
            Self.composite(mode, sources[y], over: backs[x])
        }
    }

    @Test func `a mode affects its layer's area only, in proportion at soft edges`() throws {
        for mode in [BlendMode.multiply, .copy, .difference, .destinationIn] {
            var layer = S.color(0.4, 0.8, 0.2, 0.5, at: S.rect(2, 2, 5, 5))
            layer.blendMode = mode
            layer.transform = .translation(x: 0.5, y: 0)
            let back = Color(0.6, 0.4, 1, 1)
            let image = try S.draw(
                Scene(background: .color(SIMD4<Float>(back)), layers: [layer]), width: 11,
                height: 10)
            let result = Self.composite(
                mode, [0.4, 0.8, 0.2, 0.5], over: back)
            S.expect(image, within: 2, "\(mode)") { x, y in
                let across = x == 2 || x == 7 ? 0.5 : x > 2 && x < 7 ? 1.0 : 0
                let share = y >= 2 && y < 7 ? across : 0
                return back * (1 - share) + result * share
            }
        }
    }

    @Test func `a group blends as one image, and layers in it only with each other`() throws {
        var inner = S.color(0.5, 0.5, 0.5)
        inner.blendMode = .multiply
        var group = Layer(
            frame: .pixels(S.rect(1, 1, 4, 3)),
            sublayers: [S.color(1, 0.5, 0, at: S.rect(0, 0, 2, 3)), inner])
        group.blendMode = .screen
        let image = try S.draw(
            Scene(background: .color([0.2, 0.4, 0.6, 1]), layers: [group]), width: 7, height: 5)
        S.expect(image, within: 2) { x, y in
            let back = Color(0.2, 0.4, 0.6, 1)
            guard x >= 1, x < 5, y >= 1, y < 4 else { return back }
            // Over nothing, a multiplied colour is unchanged.
            let color: Color = x < 3 ? [0.5, 0.25, 0, 1] : [0.5, 0.5, 0.5, 1]
            return Self.composite(.screen, color, over: back)
        }
    }

    @Test func `light is mixed linearly on targets that ask for it`() throws {
        let layers = [S.color(1, 1, 1), S.color(0, 0, 0, 0.5, at: S.rect(0, 0, 3, 5))]
        let image = try S.draw(Scene(layers: layers), width: 5, height: 5, mixesLight: true)
        // Half the light of white is 188 of 255 (IEC 61966-2-1).
        S.expect(image) { x, _ in x < 3 ? [0.7354, 0.7354, 0.7354, 1] : [1, 1, 1, 1] }
        let usual = try S.draw(Scene(layers: layers), width: 5, height: 5)
        S.expect(usual) { x, _ in x < 3 ? [0.5, 0.5, 0.5, 1] : [1, 1, 1, 1] }
        // Anything that is not blended stays unchanged: images, groups, and the previous contents.
        let picture = TestPictures.rgba(width: 5, height: 3) { x, y in
            [UInt8(x * 60), UInt8(y * 90), 77, 255]
        }
        var group = Layer(sublayers: [Layer(.image(picture))])
        group.masksToBounds = true
        for layer in [Layer(.image(picture)), group] {
            let same = try S.draw(Scene(layers: [layer]), width: 5, height: 3, mixesLight: true)
            S.expect(same) { [Double($0 * 60) / 255, Double($1 * 90) / 255, 77.0 / 255, 1] }
        }
        try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(width: 5, height: 3, context: context)
            for isTopRowFirst in [false, true] {
                var target = RenderTarget(framebuffer)
                target.isTopRowFirst = isTopRowFirst
                _ = renderer.render(
                    Scene(layers: [Layer(.image(picture))]), hostTime: .zero, into: target)
                target.mixesLight = true
                _ = renderer.render(
                    Scene(background: .none, layers: []), hostTime: .zero, into: target)
                S.expect(framebuffer.image(isBottomUp: !isTopRowFirst)) {
                    [Double($0 * 60) / 255, Double($1 * 90) / 255, 77.0 / 255, 1]
                }
            }
        }
    }
}
