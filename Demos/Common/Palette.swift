// SPDX-License-Identifier: Apache-2.0

/// The colours of the demos, as red, green, blue and alpha.
public enum Palette {
    public static let background: SIMD4<Float> = [0.055, 0.063, 0.078, 1]
    public static let panel: SIMD4<Float> = [0.098, 0.110, 0.133, 1]
    /// A panel over a video.
    public static let glass: SIMD4<Float> = [0.03, 0.035, 0.045, 0.72]
    public static let line: SIMD4<Float> = [0.25, 0.27, 0.32, 1]
    public static let text: SIMD4<Float> = [0.93, 0.94, 0.96, 1]
    public static let dimmed: SIMD4<Float> = [0.58, 0.61, 0.67, 1]
    public static let accent: SIMD4<Float> = [0.27, 0.66, 1.0, 1]
    public static let warm: SIMD4<Float> = [1.0, 0.58, 0.24, 1]
    public static let good: SIMD4<Float> = [0.30, 0.82, 0.50, 1]
    public static let bad: SIMD4<Float> = [1.0, 0.33, 0.33, 1]

    /// Returns a colour with another opacity.
    public static func faded(_ color: SIMD4<Float>, _ opacity: Float) -> SIMD4<Float> {
        SIMD4(color.x, color.y, color.z, color.w * opacity)
    }

    /// Returns the colour of a hue. Hues are from 0 to 1, and both ends are red.
    public static func hue(_ hue: Double, saturation: Double = 0.7) -> SIMD4<Float> {
        func channel(_ shift: Double) -> Float {
            let place = (hue + shift).truncatingRemainder(dividingBy: 1) * 6
            let pure = min(max(abs(place - 3) - 1, 0), 1)
            return Float(1 - saturation + saturation * pure)
        }
        return [channel(0), channel(2.0 / 3), channel(1.0 / 3), 1]
    }
}
