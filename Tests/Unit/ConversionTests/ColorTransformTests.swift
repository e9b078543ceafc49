// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import PlayheadBuffers
import PlayheadConversion
import Testing

@Suite("Colour transform")
struct ColorTransformTests {
    private static func color(
        _ primaries: ColorAttachments.Primaries, _ transfer: ColorAttachments.Transfer
    ) -> ColorAttachments {
        ColorAttachments(
            matrix: .rgb, range: .full, primaries: primaries, transfer: transfer,
            chromaLocation: .left)
    }

    private static func distance(_ left: SIMD3<Double>, _ right: SIMD3<Double>) -> Double {
        let difference = left - right
        return max(abs(difference.x), abs(difference.y), abs(difference.z))
    }

    @Test(arguments: [
        ColorAttachments.Transfer.bt709, .bt601, .sRGB, .gamma22, .gamma28, .bt2020TenBit,
        .smpte240m,
    ])
    func `standard range keeps its numbers on displays of standard range`(
        transfer: ColorAttachments.Transfer
    ) {
        for primaries in [ColorAttachments.Primaries.bt709, .smpte170m, .bt470bg] {
            for target in [ColorSpace.bt709, .sRGB] {
                #expect(
                    ColorTransform(from: Self.color(primaries, transfer), to: target).isIdentity)
            }
        }
    }

    @Test func `PQ and HLG pass unchanged to targets of the same curve`() {
        #expect(ColorTransform(from: Self.color(.bt2020, .pq), to: .pq).isIdentity)
        #expect(ColorTransform(from: Self.color(.bt2020, .hlg), to: .hlg).isIdentity)
        #expect(!ColorTransform(from: Self.color(.bt2020, .hlg), to: .pq).isIdentity)
    }

    @Test func `tone mapping ends at the peak of a PQ display`() {
        var display = ColorSpace.pq
        display.peakLuminance = 600
        let bright = ColorTransform(
            from: Self.color(.bt2020, .pq), peakLuminance: 4000, to: display)
        #expect(bright.toneMapping != nil)
        // PQ of 600 candela per square metre.
        #expect(abs(bright([1, 1, 1]).x - 0.6961) < 0.001)
        let dim = ColorTransform(from: Self.color(.bt2020, .pq), peakLuminance: 500, to: display)
        #expect(dim.isIdentity)
    }

    @Test func `greys and white are preserved for any primaries`() {
        for primaries in [ColorAttachments.Primaries.bt2020, .dciP3, .displayP3, .bt470m, .film] {
            let transform = ColorTransform(from: Self.color(primaries, .bt709), to: .bt709)
            #expect(!transform.isIdentity)
            for grey in [0, 0.1, 0.5, 0.9, 1] {
                let result = transform(SIMD3(repeating: grey))
                #expect(Self.distance(result, SIMD3(repeating: grey)) < 1e-4, "\(primaries)")
            }
        }
    }

    @Test func `light of BT.2020 becomes that of BT.709 as in BT.2087`() throws {
        let matrix = ColorMatrix(from: .bt2020, to: .bt709)
        // ITU-R BT.2087-0, 4; also bt2020_to_bt709_linear.csv of the golden tables.
        let expected: [SIMD3<Double>] = [
            [1.660491, -0.124550, -0.018151], [-0.587641, 1.132900, -0.100579],
            [-0.072850, -0.008349, 1.118730],
        ]
        for (column, value) in zip([matrix.first, matrix.second, matrix.third], expected) {
            #expect(Self.distance(column, value) < 1e-5)
        }
        let back = ColorMatrix(from: .bt709, to: .bt2020) * matrix
        #expect(Self.distance(back * [0.3, 0.5, 0.7], [0.3, 0.5, 0.7]) < 1e-12)
    }

    @Test func `primaries of standard definition are adapted on request`() {
        var target = ColorSpace.bt709
        target.adaptsStandardDefinition = true
        let transform = ColorTransform(from: Self.color(.smpte170m, .bt601), to: target)
        #expect(!transform.isIdentity)
        let red = transform([1, 0, 0])
        // In light, 0.9395 of BT.709's red and 0.0178 of its green (RP 177's derivation).
        #expect(abs(red.x - 0.9743) < 0.002 && abs(red.y - 0.1867) < 0.004)
    }

    @Test func `PQ and HLG have the light of the examples in BT.2100 and BT.2408`() {
        let pq = TransferCurve.pq
        #expect(abs(pq.signal([0.01, 0.01, 0.01]).x - 0.508078) < 1e-6)
        #expect(abs(pq.signal([0.0203, 0.0203, 0.0203]).x - 0.580689) < 1e-6)
        // BT.2408: reference white is 75 % of HLG and 203 of its 1000 candela per square metre.
        #expect(abs(TransferCurve.hlg.light([0.75, 0.75, 0.75]).x - 0.203) < 0.0002)
    }

    @Test(arguments: [
        TransferCurve.power(2.4), .power(2.2), .sRGB, .linear, .pq, .hlg, .cinema,
        .logarithmic(decades: 2),
    ])
    func `every curve inverts exactly`(curve: TransferCurve) {
        for color: SIMD3<Double> in [[0, 0, 0], [1, 1, 1], [0.2, 0.5, 0.9], [0.7, 0.01, 0.3]] {
            let result = curve.signal(curve.light(color))
            #expect(Self.distance(result, color) < 1e-6, "\(color)")
        }
    }

    @Test func `tone mapping is monotonic, keeps dark values and ends at the display's peak`() {
        for (source, target) in [(1000.0, 203.0), (4000, 100), (10_000, 600)] {
            let mapping = ToneMapping(sourceLuminance: source, targetLuminance: target)
            var last = -1.0
            for step in 0...200 {
                let light = source * Double(step) / 200 / 10_000
                let result = mapping(light) * 10_000
                #expect(result >= last && result <= target * 1.0001)
                last = result
            }
            #expect(abs(last - target) < target * 0.001)
            #expect(abs(mapping(0.0002) - 0.0002) < 1e-8)
        }
    }

    @Test func `white of standard range is the reference white in PQ`() {
        let transform = ColorTransform(from: Self.color(.bt709, .bt709), to: .pq)
        #expect(abs(transform([1, 1, 1]).x - 0.580689) < 1e-5)
        let back = ColorTransform(from: ColorSpace.pq, to: .bt709)
        #expect(abs(back([0.580689, 0.580689, 0.580689]).x - 1) < 1e-4)
    }

    @Test func `transforms to light and back give the original numbers`() {
        for space in [ColorSpace.bt709, .sRGB, .displayP3, .pq, .hlg] {
            for transfer in [ColorAttachments.Transfer.bt709, .sRGB, .pq, .hlg] {
                let whole = ColorTransform(from: Self.color(.bt2020, transfer), to: space)
                let color = SIMD3(0.5, 0.4, 0.6)
                let result = whole.fromLight(whole.toLight(color))
                #expect(Self.distance(result, whole(color)) < 1e-6, "\(transfer) to \(space)")
            }
        }
    }
}
