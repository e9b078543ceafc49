// SPDX-License-Identifier: Apache-2.0

/// A curve that brings light brighter than a display down to its range: ITU-R BT.2390-11, 5.4.1,
/// the EETF.
///
/// It is defined on PQ's perceptual scale, is the identity up to a knee, and bends to the display's
/// peak by a Hermite spline. Black stays black. It is applied to the largest of red, green and
/// blue, and the others keep their ratio to it, which preserves hues and keeps every channel within
/// the display's range. A curve for each channel would turn bright colours towards white and shift
/// their hue.
package struct ToneMapping: Sendable, Hashable {
    /// The video's peak on PQ's scale.
    package let sourcePeak: Double
    /// The display's peak, as a fraction of the video's.
    package let targetPeak: Double
    /// The start of the bend, as a fraction of the video's peak.
    package let knee: Double

    /// Creates a curve.
    ///
    /// - Parameters: the peaks, in candela per square metre; the target's is the smaller.
    package init(sourceLuminance: Double, targetLuminance: Double) {
        sourcePeak = TransferCurve.pqSignal(sourceLuminance / 10_000)
        targetPeak = TransferCurve.pqSignal(targetLuminance / 10_000) / sourcePeak
        knee = 1.5 * targetPeak - 0.5
    }

    /// Returns the mapped light; 1 is 10,000 candela per square metre.
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
