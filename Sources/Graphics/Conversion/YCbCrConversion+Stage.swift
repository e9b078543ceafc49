// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadBuffers

extension YCbCrConversion.Stage {
    /// Returns the R'G'B' for a result of the linear map, like `stagedColor` in `colorimetry.glsl`.
    ///
    /// - Parameter transfer: the frame's transfer characteristics.
    package func callAsFunction(
        _ color: SIMD3<Double>, transfer: ColorAttachments.Transfer
    ) -> SIMD3<Double> {
        switch self {
        case .none: color
        case .constantLuminance: Self.constantLuminance(color)
        case .iCtCp:
            transfer == .hlg
                ? Self.iCtCp(color, light: TransferCurve.hlgScene, signal: TransferCurve.hlgSignal)
                : Self.iCtCp(color, light: TransferCurve.pqLight, signal: TransferCurve.pqSignal)
        }
    }

    /// Returns the R'G'B' of BT.2020 with constant luminance: ITU-R BT.2020-2, table 4. The input
    /// is C'rc, Y'c, C'bc.
    private static func constantLuminance(_ color: SIMD3<Double>) -> SIMD3<Double> {
        let luma = color.y
        let red = luma + color.x * (color.x > 0 ? 2 * 0.4969 : 2 * 0.8591)
        let blue = luma + color.z * (color.z > 0 ? 2 * 0.7910 : 2 * 0.9702)
        let light = cameraLight(luma) - 0.2627 * cameraLight(red) - 0.0593 * cameraLight(blue)
        return [red, cameraSignal(light / 0.6780), blue]
    }

    // The camera's curve, also from table 4, with exact constants.
    private static let alpha = 1.09929682680944
    private static let beta = 0.018053968510807

    private static func cameraLight(_ signal: Double) -> Double {
        signal < 4.5 * beta ? signal / 4.5 : pow((signal + (alpha - 1)) / alpha, 1 / 0.45)
    }

    private static func cameraSignal(_ light: Double) -> Double {
        light < beta ? 4.5 * light : alpha * pow(light, 0.45) - (alpha - 1)
    }

    /// Returns the R'G'B' of ICtCp: ITU-R BT.2100-2, table 7. The input is L'M'S'.
    private static func iCtCp(
        _ color: SIMD3<Double>, light: (Double) -> Double, signal: (Double) -> Double
    ) -> SIMD3<Double> {
        let linear = fromCones * [light(color.x), light(color.y), light(color.z)]
        return [signal(linear.x), signal(linear.y), signal(linear.z)]
    }

    private static let fromCones =
        (ColorMatrix([1688, 683, 99], [2146, 2951, 309], [262, 462, 3688]) * (1 / 4096)).inverse
}
