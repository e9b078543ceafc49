// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
import Synchronization

/// A channel of a connection for audio: its levels, its volume, and whether it is on.
///
///     let level = output.connection?.audioChannels[0].averagePowerLevel
///
/// Levels are measured before the volume is applied. A meter therefore shows that someone speaks
/// into a muted microphone.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVCaptureAudioChannel`.
public final class CaptureAudioChannel: Sendable {
    private struct State {
        var volume: Float = 1
        var isEnabled = true
        var peak: Float = 0
        var meanSquare: Float = 0
    }

    private let state = Mutex(State())

    init() {}

    /// The factor that is applied to the samples, from 0 to 1; 1 by default.
    public var volume: Float {
        get { state.withLock { $0.volume } }
        set { state.withLock { $0.volume = newValue.isFinite ? min(max(newValue, 0), 1) : 0 } }
    }

    /// A Boolean value that indicates whether the channel is heard. If not, its samples are silent;
    /// their number and times stay the same.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { state.withLock { $0.isEnabled = newValue } }
    }

    /// The mean power of about the last 300 ms, in decibels relative to a full-scale sample; −∞ in
    /// silence.
    public var averagePowerLevel: Float { 10 * log10f(state.withLock { $0.meanSquare }) }

    /// The peak level, in decibels relative to full scale; −∞ in silence. After a peak, it falls by
    /// 20 dB in 1.7 s.
    public var peakHoldLevel: Float { 20 * log10f(state.withLock { $0.peak }) }

    /// The factor that is applied to the samples at the moment.
    var gain: Float { state.withLock { $0.isEnabled ? $0.volume : 0 } }

    /// The speed at which the peak falls, in decibels per second (IEC 60268-18).
    private static let peakFall: Float = 20 / 1.7
    /// The time constant, in seconds, of an average that reaches 99 % of a step in 300 ms
    /// (IEC 60268-17).
    private static let averageSeconds = Float(0.3 / log(100.0))

    /// Adds the samples of a block to the levels.
    func measure(peak: Float, meanSquare: Float, seconds: Float) {
        state.withLock { state in
            let held = state.peak * powf(10, -Self.peakFall / 20 * seconds)
            state.peak = max(peak.isFinite ? peak : 0, held)
            // This is below the smallest sample of 24 bits.
            if state.peak < 1e-9 { state.peak = 0 }
            let share = 1 - expf(-seconds / Self.averageSeconds)
            state.meanSquare += ((meanSquare.isFinite ? meanSquare : 0) - state.meanSquare) * share
            if state.meanSquare < 1e-18 { state.meanSquare = 0 }
        }
    }

    /// Sets the levels to silence, because the device is closed.
    func resetLevels() {
        state.withLock { ($0.peak, $0.meanSquare) = (0, 0) }
    }
}
