// SPDX-License-Identifier: Apache-2.0

/// A curve that maps light that is brighter than a display's peak into the display's range: the
/// EETF of ITU-R BT.2390-11, 5.4.1.
///
/// The curve is defined on PQ's perceptual scale. It is the identity up to a knee, and then bends
/// to the display's peak with a Hermite spline. Black stays black.
///
/// The curve is applied to the largest of red, green and blue, and the others keep their ratio to
/// it. This preserves hues and keeps every channel within the display's range. If each channel had
/// its own curve, bright colours would turn towards white and shift in hue.
package struct ToneMapping: Sendable, Hashable {
    /// The video's peak, on PQ's scale.
    package let sourcePeak: Double
    /// The display's peak, as a fraction of the video's peak.
    package let targetPeak: Double
    /// The level at which the curve starts to bend, as a fraction of the video's peak.
    package let knee: Double

    /// Creates a curve from peaks in candela per square metre. The target's peak must be the lower
    /// of the two.
    package init(sourceLuminance: Double, targetLuminance: Double) {
        sourcePeak = TransferCurve.pqSignal(sourceLuminance / 10_000)
        targetPeak = TransferCurve.pqSignal(targetLuminance / 10_000) / sourcePeak
        knee = 1.5 * targetPeak - 0.5
    }

    /// Returns the mapped light. A light of 1 is 10,000 candela per square metre.
    package func callAsFunction(_ light: Double) -> Double {
        TransferCurve.pqLight(curve(TransferCurve.pqSignal(light)))
    }

    private func curve(_ signal: Double) -> Double {
        let place = min(signal / sourcePeak, 1)
        guard place > knee else { return place * sourcePeak }
        let t = (place - knee) / (1 - knee)
        let (t2, t3) = (t * t, t * t * t)
        let value =
            (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee)
            + (3 * t2 - 2 * t3) * targetPeak
        return value * sourcePeak
    }
}
