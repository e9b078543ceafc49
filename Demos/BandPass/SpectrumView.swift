// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import Glibc
import PlayheadUI

/// A view of the spectra before and after the filter, the response of the filter, and level meters.
@MainActor struct SpectrumView {
    private static let barCount = 60
    private static let frequencies = 40.0...16_000.0
    /// The lowest visible level, in decibels.
    private static let floor = -66.0
    /// The fall of a bar from one frame to the next, in decibels.
    private static let fall = 2.0

    private let stage: Stage
    /// The levels of the spectra, in decibels.
    private var before = [Double](repeating: floor, count: barCount)
    private var after = [Double](repeating: floor, count: barCount)

    init(_ stage: Stage) {
        self.stage = stage
    }

    private var area: LayerRect {
        LayerRect(
            x: 28, y: stage.height * 0.55, width: stage.width - 130, height: stage.height * 0.35)
    }

    // MARK: Numbers

    /// Returns the frequency at an x coordinate of the window. All octaves have the same width.
    func frequency(at x: Double) -> Double {
        let share = min(max((x - area.x) / area.width, 0), 1)
        let span = Self.frequencies.upperBound / Self.frequencies.lowerBound
        return Self.frequencies.lowerBound * pow(span, share)
    }

    private static func frequency(ofBar bar: Double) -> Double {
        let span = frequencies.upperBound / frequencies.lowerBound
        return frequencies.lowerBound * pow(span, bar / Double(barCount))
    }

    /// Reads the spectra for a time.
    mutating func read(
        before first: AudioAnalyzerTap, after second: AudioAnalyzerTap, at time: MediaTime
    ) {
        before = Self.fallen(before, Self.bars(of: first, at: time))
        after = Self.fallen(after, Self.bars(of: second, at: time))
    }

    private static func fallen(_ old: [Double], _ new: [Double]) -> [Double] {
        zip(old, new).map { max($0 - fall, $1, floor) }
    }

    private static func bars(of tap: AudioAnalyzerTap, at time: MediaTime) -> [Double] {
        var amplitudes = [Float](repeating: 0, count: AudioAnalyzerTap.spectrumFrames / 2)
        let isHeard = amplitudes.withUnsafeMutableBufferPointer {
            tap.copySpectrum(into: $0, channel: nil, at: time)
        }
        guard isHeard else { return [Double](repeating: floor, count: barCount) }
        let hertz = Double(tap.sampleRate) / Double(AudioAnalyzerTap.spectrumFrames)
        return (0..<barCount).map { bar in
            let first = Int(frequency(ofBar: Double(bar)) / hertz)
            let last = max(first + 1, Int(frequency(ofBar: Double(bar + 1)) / hertz))
            let loudest = amplitudes[min(first, amplitudes.count - 1)..<min(last, amplitudes.count)]
                .max()
            return 20 * log10(Double(max(loudest ?? 0, 1e-6)))
        }
    }

    /// Returns the response of a band-pass filter, in decibels. It is computed for the analogue
    /// filter that the digital filter approximates.
    private static func response(_ filter: AudioFilterTap, at frequency: Double) -> Double {
        let quality = 1 / (2 * sinh(log(2.0) / 2 * filter.bandwidth))
        let ratio = frequency / filter.frequency
        let detuning = quality * (ratio - 1 / ratio)
        return -10 * log10(1 + detuning * detuning)
    }

    // MARK: Layers

    /// Returns the height of a bar for a level, from 0 to 1.
    private static func height(_ decibels: Double) -> Double {
        min(max(1 - decibels / floor, 0), 1)
    }

    func layers(filter: AudioFilterTap?) -> [Layer] {
        let bottom = area.y + area.height
        var layers = [
            stage.box(
                LayerRect(
                    x: area.x - 12, y: area.y - 12, width: area.width + 24,
                    height: area.height + 42), color: Palette.glass, cornerRadius: 10)
        ]
        let step = area.width / Double(Self.barCount)
        func bar(_ index: Int, _ share: Double, inset: Double, _ color: SIMD4<Float>) -> Layer {
            let height = max(1, share * area.height)
            return stage.box(
                LayerRect(
                    x: area.x + Double(index) * step + inset, y: bottom - height,
                    width: step - 2 * inset, height: height), color: color)
        }
        for index in 0..<Self.barCount {
            let hue = 0.58 + 0.42 * Double(index) / Double(Self.barCount)
            layers.append(bar(index, Self.height(before[index]), inset: 1, Palette.line))
            layers.append(
                bar(index, Self.height(after[index]), inset: 1, Palette.hue(hue, saturation: 0.6)))
        }
        if let filter { layers += curve(of: filter, bottom: bottom) }
        for frequency in [100.0, 1000, 10_000] {
            let octaves = log2(frequency / Self.frequencies.lowerBound)
            let all = log2(Self.frequencies.upperBound / Self.frequencies.lowerBound)
            let label = frequency < 1000 ? "\(Int(frequency)) Hz" : "\(Int(frequency / 1000)) kHz"
            layers.append(
                stage.text(
                    label, size: 12, at: [area.x + octaves / all * area.width, bottom + 8],
                    align: .center, color: Palette.dimmed))
        }
        return layers
    }

    private func curve(of filter: AudioFilterTap, bottom: Double) -> [Layer] {
        let step = area.width / Double(Self.barCount)
        let points = (0...Self.barCount).map { bar in
            let level = Self.response(filter, at: Self.frequency(ofBar: Double(bar)))
            return SIMD2(
                area.x + Double(bar) * step, bottom - Self.height(level) * area.height)
        }
        return zip(points, points.dropFirst()).filter { min($0.y, $1.y) < bottom }.map {
            stage.line(from: $0, to: $1, width: 2.5, color: Palette.text)
        }
    }

    /// Returns a column for each channel, in which a bar shows the average and a line shows the
    /// peak.
    func meters(_ levels: AudioLevels?) -> [Layer] {
        let x = area.x + area.width + 34
        var layers = [
            stage.box(
                LayerRect(x: x - 10, y: area.y - 12, width: 60, height: area.height + 42),
                color: Palette.glass, cornerRadius: 10)
        ]
        for channel in 0..<2 {
            let level = levels.flatMap {
                $0.channels.indices.contains(channel) ? $0.channels[channel] : nil
            }
            let left = x + Double(channel) * 22
            let rms = Self.height(Double(level?.rmsDecibels ?? -200))
            let peak = Self.height(Double(level?.peakDecibels ?? -200))
            func column(_ from: Double, _ to: Double, _ color: SIMD4<Float>) -> Layer {
                stage.box(
                    LayerRect(
                        x: left, y: area.y + (1 - to) * area.height, width: 16,
                        height: max(2, (to - from) * area.height)), color: color)
            }
            layers.append(column(0, 1, Palette.panel))
            // Green up to −12 dB, amber above.
            let limit = Self.height(-12)
            layers.append(column(0, min(rms, limit), Palette.good))
            if rms > limit { layers.append(column(limit, rms, Palette.warm)) }
            layers.append(column(max(0, peak - 0.008), peak, Palette.text))
            layers.append(
                stage.text(
                    channel == 0 ? "L" : "R", size: 12, at: [left + 8, area.y + area.height + 8],
                    align: .center, color: Palette.dimmed))
        }
        return layers
    }
}
