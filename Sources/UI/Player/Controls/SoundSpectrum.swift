// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAudio
import PlayheadLayers
import PlayheadPlayback
import PlayheadTime

/// A spectrum of the audio as bars, in sync with what is heard.
///
/// - Concurrency: the main thread.
@MainActor final class SoundSpectrum {
    static let barCount = 36
    /// The range of frequencies, in hertz. Octaves have equal widths.
    static let frequencies = 40.0...16_000.0
    /// The level at which a bar has no height, in decibels.
    private static let floor = -60.0
    /// The fraction of its height that a bar loses at each update.
    private static let fall = 0.04
    /// The time between updates during playback.
    static let interval = MediaTime(value: 1, timescale: 30)
    private static let low = SIMD4<Float>(0.30, 0.72, 1, 0.95)
    private static let high = SIMD4<Float>(0.78, 0.48, 1, 0.95)

    /// The heights of the bars from 0 to 1, in order of frequency.
    private(set) var levels = [Double](repeating: 0, count: barCount)
    private let analyzer: AudioAnalyzerTap
    private var amplitudes = [Float](repeating: 0, count: AudioAnalyzerTap.spectrumFrames / 2)

    /// Creates a spectrum of an item's audio, after the other taps of the item's audio mix.
    init(_ item: PlayerItem) {
        var mix = item.audioMix ?? AudioMix()
        // Later iterations of a loop share the taps of the first one.
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

    /// A Boolean value that indicates whether audio is received. Without an audio device, none is.
    var isHearing: Bool { analyzer.channelCount > 0 }

    /// Updates the bars for a time of the item.
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

    /// Returns the level of the loudest frequency in a bar, as a fraction of the range from the
    /// floor to full scale.
    private func level(ofBar bar: Int, hertz: Double) -> Double {
        let first = min(Int(Self.frequency(atBar: bar) / hertz), amplitudes.count - 1)
        let last = min(Int(Self.frequency(atBar: bar + 1) / hertz), amplitudes.count)
        let loudest = amplitudes[first..<max(first + 1, last)].max() ?? 0
        return max(0, 1 - 20 * log10(Double(max(loudest, 1e-6))) / Self.floor)
    }

    /// Returns the lowest frequency of a bar, in hertz.
    static func frequency(atBar bar: Int) -> Double {
        let span = frequencies.upperBound / frequencies.lowerBound
        return frequencies.lowerBound * pow(span, Double(bar) / Double(barCount))
    }

    /// Adds the bars to a rectangle, from its lower edge upwards.
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
