// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadBuffers

/// The relation between R'G'B' signals and the linear light of a display.
///
/// A transfer curve describes the light that a display produces from a signal, not the signal that
/// a camera produces from light, because video is graded on displays. Therefore BT.601, BT.709 and
/// BT.2020 have the curve of the reference display, BT.1886, with a black of 0.
package enum TransferCurve: Sendable, Hashable {
    /// A power: `E = E' ^ gamma`.
    case power(Double)
    /// The curve of sRGB: IEC 61966-2-1.
    case sRGB
    case linear
    /// The curve of PQ, SMPTE ST 2084. A light of 1 is 10,000 candela per square metre.
    case pq
    /// The curve of HLG (ARIB STD-B67, BT.2100), including the display's conversion from scene
    /// light to display light, for a display of 1000 candela per square metre. A light of 1 is that
    /// peak.
    case hlg
    /// The curve of digital cinema's X'Y'Z', SMPTE ST 428-1: a power of 2.6. In the standard,
    /// a light of 1 is 52.37 candela per square metre, but white is 48. This headroom is ignored.
    case cinema
    /// A logarithmic curve of H.273: `E = 10 ^ (decades * (E' - 1))`.
    case logarithmic(decades: Double)

    /// Creates the curve of a code of H.273 (02/2024), table 3.
    package init(_ transfer: ColorAttachments.Transfer) {
        self =
            switch transfer {
            case .gamma22: .power(2.2)
            case .gamma28: .power(2.8)
            case .linear: .linear
            case .logarithmic100: .logarithmic(decades: 2)
            case .logarithmic316: .logarithmic(decades: 2.5)
            case .sRGB: .sRGB
            case .pq: .pq
            case .smpte428: .cinema
            case .hlg: .hlg
            default: .power(2.4)
            }
    }

    /// The luminance of a light of 1, in candela per square metre; nil if the curve is relative.
    var luminanceOfOne: Double? {
        switch self {
        case .pq: 10_000
        case .hlg: Self.hlgPeak
        default: nil
        }
    }

    /// The nominal peak at which the system gamma is 1.2, in candela per square metre: BT.2100-2,
    /// table 5.
    static let hlgPeak = 1000.0
    static let hlgGamma = 1.2
    /// The luma weights of BT.2020, for the brightness that the system gamma is applied to.
    static let hlgLuma = SIMD3(0.2627, 0.6780, 0.0593)

    /// Returns the linear light that a display produces from a signal.
    package func light(_ signal: SIMD3<Double>) -> SIMD3<Double> {
        guard self == .hlg else { return signal.map(light) }
        let scene = signal.map(Self.hlgScene)
        return scene * Self.hlgGain((scene * Self.hlgLuma).sum())
    }

    /// Returns the gain from scene light to display light at `brightness`, as HLG's system gamma
    /// defines it.
    static func hlgGain(_ brightness: Double) -> Double {
        brightness > 0 ? pow(brightness, hlgGamma - 1) : 0
    }

    /// Returns the signal from which a display produces `light`, which is linear.
    package func signal(_ light: SIMD3<Double>) -> SIMD3<Double> {
        guard self == .hlg else { return light.map(signal) }
        let brightness = (light * Self.hlgLuma).sum()
        guard brightness > 0 else { return [0, 0, 0] }
        return (light * pow(brightness, 1 / Self.hlgGamma - 1)).map(Self.hlgSignal)
    }

    private func light(_ signal: Double) -> Double {
        switch self {
        case .power(let gamma): pow(max(signal, 0), gamma)
        case .cinema: pow(max(signal, 0), 2.6)
        case .sRGB: signal <= 0.04045 ? signal / 12.92 : pow((signal + 0.055) / 1.055, 2.4)
        case .linear: signal
        case .pq: Self.pqLight(signal)
        case .hlg: Self.hlgScene(signal)
        case .logarithmic(let decades): pow(10, decades * (signal - 1))
        }
    }

    private func signal(_ light: Double) -> Double {
        switch self {
        case .power(let gamma): pow(max(light, 0), 1 / gamma)
        case .cinema: pow(max(light, 0), 1 / 2.6)
        case .sRGB:
            light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        case .linear: light
        case .pq: Self.pqSignal(light)
        case .hlg: Self.hlgSignal(light)
        case .logarithmic(let decades): max(0, 1 + log10(max(light, 1e-9)) / decades)
        }
    }

    // ST 2084, 5.2: m1, m2, c1, c2, c3.
    private static let m1 = 2610.0 / 16384
    private static let m2 = 2523.0 / 4096 * 128
    private static let c1 = 3424.0 / 4096
    private static let c2 = 2413.0 / 4096 * 32
    private static let c3 = 2392.0 / 4096 * 32

    /// Returns the light of a signal by the EOTF of ST 2084. A light of 1 is 10,000 candela per
    /// square metre. Signals above 1 are clamped, because the formula has no value for signals that
    /// are much larger.
    static func pqLight(_ signal: Double) -> Double {
        let power = pow(min(max(signal, 0), 1), 1 / m2)
        return pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
    }

    /// Returns the signal of a light by the inverse of ST 2084's EOTF.
    static func pqSignal(_ light: Double) -> Double {
        let power = pow(max(light, 0), m1)
        return pow((c1 + c2 * power) / (1 + c3 * power), m2)
    }

    // BT.2100-2, table 5: a, b, c of HLG's OETF.
    private static let a = 0.17883277
    private static let b = 0.28466892
    private static let c = 0.55991073

    static func hlgScene(_ signal: Double) -> Double {
        let signal = max(signal, 0)
        return signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12
    }

    static func hlgSignal(_ scene: Double) -> Double {
        let scene = max(scene, 0)
        return scene <= 1.0 / 12 ? (3 * scene).squareRoot() : a * log(12 * scene - b) + c
    }
}

extension SIMD3<Double> {
    fileprivate func map(_ function: (Double) -> Double) -> SIMD3<Double> {
        [function(x), function(y), function(z)]
    }
}
