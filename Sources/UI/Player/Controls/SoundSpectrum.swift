// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAudio
import PlayheadLayers
import PlayheadPlayback
import PlayheadTime

/// What is seen of sound that brings no picture: its spectrum as bars, in step with what is heard.
///
/// - Concurrency: the main thread.
@MainActor final class SoundSpectrum {
    static let barCount = 36
    /// In hertz; each octave has the same room.
    static let frequencies = 40.0...16_000.0
    /// Quieter than this, in decibels, is nothing.
    private static let floor = -60.0
    /// What a bar falls by from look to look, of its whole height.
    private static let fall = 0.04
    /// How often to look while a film plays.
    static let interval = MediaTime(value: 1, timescale: 30)
    private static let low = SIMD4<Float>(0.30, 0.72, 1, 0.95)
    private static let high = SIMD4<Float>(0.78, 0.48, 1, 0.95)

    /// From 0 to 1, from low to high.
    private(set) var levels = [Double](repeating: 0, count: barCount)
    private let analyzer: AudioAnalyzerTap
    private var amplitudes = [Float](repeating: 0, count: AudioAnalyzerTap.spectrumFrames / 2)

    /// Listens to an item, after whatever else its mix holds.
    init(_ item: PlayerItem) {
        var mix = item.audioMix ?? AudioMix()
        // Rounds of a loop are copies, with what was put into the first one's mix.
        let taps = mix.inputParameters.flatMap(\.taps).compactMap { $0 as? AudioAnalyzerTap }
        if let tap = taps.first {
            analyzer = tap
            return
        }
        analyzer = AudioAnalyzerTap()
        if mix.inputParameters.isEmpty { mix.inputParameters = [AudioMixInputParameters()] }
        for index in mix.inputParameters.indices {
            mix.inputParameters[index].taps.append(analyzer)
        }
        item.audioMix = mix
    }

    /// Whether any sound has come by: there is none without a device.
    var isHearing: Bool { analyzer.channelCount > 0 }

    /// Looks at the sound of a moment of the item.
    func look(at time: MediaTime) {
        let isHeard = amplitudes.withUnsafeMutableBufferPointer {
            analyzer.copySpectrum(into: $0, channel: nil, at: time)
        }
        let hertz = Double(analyzer.sampleRate) / Double(AudioAnalyzerTap.spectrumFrames)
        for bar in levels.indices {
            let level = isHeard && hertz > 0 ? level(ofBar: bar, hertz: hertz) : 0
            levels[bar] = max(level, levels[bar] - Self.fall, 0)
        }
    }

    /// The loudest of a bar's frequencies, between the floor and full scale.
    private func level(ofBar bar: Int, hertz: Double) -> Double {
        let first = min(Int(Self.frequency(atBar: bar) / hertz), amplitudes.count - 1)
        let last = min(Int(Self.frequency(atBar: bar + 1) / hertz), amplitudes.count)
        let loudest = amplitudes[first..<max(first + 1, last)].max() ?? 0
        return max(0, 1 - 20 * log10(Double(max(loudest, 1e-6))) / Self.floor)
    }

    /// Where a bar begins, in hertz.
    static func frequency(atBar bar: Int) -> Double {
        let span = frequencies.upperBound / frequencies.lowerBound
        return frequencies.lowerBound * pow(span, Double(bar) / Double(barCount))
    }

    /// Paints the bars into a rectangle, from its bottom up.
    func paint(_ painter: inout PanelLayers, in rect: LayerRect) {
        let step = rect.width / Double(Self.barCount)
        let width = max(1, (step * 0.66).rounded())
        for (bar, level) in levels.enumerated() {
            let height = max(width, (level * rect.height).rounded())
            let share = Float(bar) / Float(Self.barCount - 1)
            painter.fill(
                LayerRect(
                    x: (rect.x + Double(bar) * step + (step - width) / 2).rounded(),
                    y: (rect.y + rect.height).rounded() - height, width: width, height: height),
                Self.low + (Self.high - Self.low) * share, radius: (width / 2).rounded(.down))
        }
    }
}
