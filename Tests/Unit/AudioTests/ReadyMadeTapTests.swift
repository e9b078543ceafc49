// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadAudio

/// Returns a sine of a frequency in hertz.
private func sine(_ frequency: Double, amplitude: Float = 0.5) -> (Int, Int) -> Float {
    { frame, _ in amplitude * Float(sin(2 * .pi * frequency * Double(frame) / 48_000)) }
}

/// Returns the amplitude of a frequency in samples, by correlation.
private func amplitude(_ samples: ArraySlice<Float>, _ frequency: Double) -> Double {
    var (inPhase, quadrature) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
        let phase = 2 * Double.pi * frequency * Double(index) / 48_000
        inPhase += Double(sample) * cos(phase)
        quadrature += Double(sample) * sin(phase)
    }
    return 2 * (inPhase * inPhase + quadrature * quadrature).squareRoot() / Double(samples.count)
}

@Suite struct ReadyMadeTapTests {
    /// Returns the gain of a tap at a frequency, in decibels, after it has settled.
    private func gain(_ tap: AudioProcessingTap, at frequency: Double) -> Double {
        let rig = MixRig(sound: sine(frequency))
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 1200)
        // Whole periods of every frequency that is a multiple of 5 Hz.
        let heard = rig.heard()[9_600..<(9_600 + 38_400)]
        return 20 * log10(amplitude(heard, frequency) / 0.5)
    }

    /// Compares with the analogue prototype, through the warp of the bilinear transform: a
    /// derivation independent of the coefficients.
    @Test func `the band-pass follows the analytic curve at ten frequencies`() {
        let (center, bandwidth) = (1000.0, 1.0)
        for frequency in [100.0, 250, 500, 700, 900, 1000, 1200, 1500, 3000, 8000] {
            let tap = AudioFilterTap(.bandPass, frequency: center, bandwidth: bandwidth)
            let w0 = 2 * Double.pi * center / 48_000
            let q = 1 / (2 * sinh(log(2.0) / 2 * bandwidth * w0 / sin(w0)))
            let w = tan(.pi * frequency / 48_000) / tan(w0 / 2)
            let expected = -10 * log10(1 + q * q * (w - 1 / w) * (w - 1 / w))
            let measured = gain(tap, at: frequency)
            #expect(
                abs(measured - expected) < 0.5, "\(frequency) Hz: \(measured), not \(expected) dB")
        }
    }

    @Test func `a band-pass has its bandwidth`() {
        for bandwidth in [0.5, 1, 2] {
            for edge in [exp2(-bandwidth / 2), exp2(bandwidth / 2)] {
                let tap = AudioFilterTap(.bandPass, frequency: 1000, bandwidth: bandwidth)
                let frequency = (1000 * edge / 5).rounded() * 5
                #expect(abs(gain(tap, at: frequency) + 3.01) < 0.3)
            }
        }
    }

    @Test(arguments: [
        (AudioFilterTap.Kind.lowPass, 0.0, -24.0), (.highPass, -24, 0), (.notch, 0, 0),
        (.peak, 0, 0), (.lowShelf, 6, 0), (.highShelf, 0, 6),
    ])
    func `each kind of filter passes its frequencies`(
        kind: AudioFilterTap.Kind, low: Double, high: Double
    ) {
        let filter = { AudioFilterTap(kind, frequency: 1000, bandwidth: 1.9, gain: 6) }
        let (bottom, top) = (gain(filter(), at: 100), gain(filter(), at: 10_000))
        #expect(low < -20 ? bottom < low : abs(bottom - low) < 0.6, "\(kind) at 100: \(bottom)")
        #expect(high < -20 ? top < high : abs(top - high) < 0.6, "\(kind) at 10000: \(top)")
        switch kind {
        case .notch: #expect(gain(filter(), at: 1000) < -40)
        case .peak: #expect(abs(gain(filter(), at: 1000) - 6) < 0.1)
        case .lowShelf, .highShelf: #expect(abs(gain(filter(), at: 1000) - 3) < 0.1)
        case .lowPass, .highPass: #expect(abs(gain(filter(), at: 1000) + 3) < 0.3)
        case .bandPass: break
        }
    }

    @Test(arguments: [15_000.0, 20_000, 23_500, 24_000, 100_000])
    func `a low-pass above the range is transparent`(frequency: Double) {
        for tone in [100.0, 1000] {
            let gain = gain(AudioFilterTap(.lowPass, frequency: frequency), at: tone)
            #expect(abs(gain) < 0.1, "\(frequency) Hz, \(tone) Hz: \(gain) dB")
        }
    }

    @Test(arguments: [100.0, 1000, 10_000, 18_000])
    func `passes and shelves keep their shape at any frequency`(
        frequency: Double
    ) {
        for (bandwidth, corner) in [(1.0, 3.01), (1.9, -3.01)] {
            for kind in [AudioFilterTap.Kind.lowPass, .highPass] {
                let tap = AudioFilterTap(kind, frequency: frequency, bandwidth: bandwidth)
                #expect(abs(gain(tap, at: frequency) - corner) < 0.05)
            }
        }
        for kind in [AudioFilterTap.Kind.lowShelf, .highShelf] {
            let tap = AudioFilterTap(kind, frequency: frequency, gain: 6)
            #expect(abs(gain(tap, at: frequency) - 3) < 0.05)
        }
        #expect(abs(gain(AudioFilterTap(.highShelf, frequency: 18_000, gain: 6), at: 1000)) < 0.05)
    }

    @Test func `a filter's parameters change without a click`() {
        let rig = MixRig(sound: sine(200))
        let tap = AudioFilterTap(.lowPass, frequency: 10_000)
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 100)
        for frequency in [50.0, 20_000, 400, 1, .nan, 1e9] {
            tap.frequency = frequency
            tap.bandwidth = frequency > 400 ? 1.5 : 3
            rig.run(milliseconds: 100)
        }
        let heard = rig.heard()
        let steepest = zip(heard, heard.dropFirst()).map { abs($1 - $0) }.max() ?? 1
        // A sine of 200 Hz rises by 0.013 from frame to frame; a jump would be a hundred times that.
        #expect(steepest < 0.08)
        #expect(heard.allSatisfy { $0.isFinite })
    }

    @Test func `a gain changes gradually and ends at its exact value`() {
        let rig = MixRig()
        let tap = AudioGainTap(gain: 0.5)
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 100)
        #expect(rig.heard().allSatisfy { $0 == 0.25 })
        tap.gain = -1
        rig.run(milliseconds: 300)
        #expect(rig.heard().last == -0.5)
        let heard = rig.heard()
        #expect((zip(heard, heard.dropFirst()).map { abs($1 - $0) }.max() ?? 1) < 0.005)
        tap.gain = .nan
        #expect(tap.gain == 1)
    }

    @Test func `a meter returns peak and RMS of each channel at a time`() throws {
        let rig = MixRig(sound: { frame, channel in
            let tone = Float(sin(2 * .pi * 1000 * Double(frame) / 48_000))
            return channel == 0 ? 0.5 * tone : frame < 24_000 ? 0.25 * tone : 0
        })
        let meter = AudioLevelMeterTap()
        rig.setTaps([meter])
        #expect(meter.levels(at: .zero) == nil)
        rig.play()
        rig.run(milliseconds: 1000)
        let loud = try #require(meter.levels(at: MixRig.time(490))).channels
        #expect(abs(loud[0].peakDecibels + 6.02) < 0.1 && abs(loud[0].rmsDecibels + 9.03) < 0.2)
        #expect(abs(loud[1].peakDecibels + 12.04) < 0.1 && abs(loud[1].rmsDecibels + 15.05) < 0.2)
        // The sample count passes 24,000 at 500 ms: from there the peak falls by 20 dB in 1.7 s.
        let later = try #require(meter.levels(at: MixRig.time(840))).channels
        #expect(abs(later[1].peakDecibels + 12.04 + 4) < 0.2)
        #expect(later[1].rms < 0.1 * loud[1].rms)
        #expect(abs(later[0].rmsDecibels + 9.03) < 0.1)
        #expect(meter.levels(at: MixRig.time(5000)) == nil)
        #expect(meter.levels(at: .invalid) == nil)
    }

    @Test func `a spectrum has each tone at its frequency and amplitude`() {
        let rig = MixRig(sound: { frame, channel in
            sine(channel == 0 ? 3000 : 12_000, amplitude: 0.5)(frame, channel)
        })
        let analyzer = AudioAnalyzerTap()
        rig.setTaps([analyzer])
        rig.play()
        rig.run(milliseconds: 500)
        var bins = [Float](repeating: 0, count: 256)
        for (channel, peak) in [(0, 32), (1, 128)] {
            let isThere = bins.withUnsafeMutableBufferPointer {
                analyzer.copySpectrum(into: $0, channel: channel, at: MixRig.time(250))
            }
            #expect(isThere)
            #expect(abs(bins[peak] - 0.5) < 0.01)
            for (bin, value) in bins.enumerated() where abs(bin - peak) > 1 {
                #expect(value < 0.001)
            }
        }
        #expect(analyzer.channelCount == 2 && analyzer.sampleRate == 48_000)
        let isThere = bins.withUnsafeMutableBufferPointer {
            analyzer.copySpectrum(into: $0, channel: 7, at: MixRig.time(250))
                || analyzer.copySpectrum(into: $0, channel: nil, at: MixRig.time(9999))
        }
        #expect(!isThere)
    }

    @Test(arguments: [1024, 30_000])
    func `appended audio is found by the same times`(length: Int) {
        let analyzer = AudioAnalyzerTap()
        let format = AudioFormat.stereo(sampleRate: 48_000)
        for first in stride(from: 0, to: 96_000, by: length) {
            let time = MediaTime(value: Int64(first), timescale: 48_000)
            let buffer = AudioBuffer(format: format, presentationTime: time, frameCount: length) {
                for frame in 0..<length {
                    $0[2 * frame] = sine(3000)(first + frame, 0)
                    $0[2 * frame + 1] = Float((first + frame) % 65_536) / 65_536
                }
            }
            analyzer.append(buffer, at: time)
        }
        var samples = [Float](repeating: 0, count: 100)
        let hasWave = samples.withUnsafeMutableBufferPointer {
            analyzer.copyWaveform(into: $0, channel: 1, at: MixRig.time(1500))
        }
        #expect(hasWave)
        for index in 0..<100 {
            let expected = Float((1500 * 48 - 50 + index) % 65_536)
            #expect(abs(samples[index] * 65_536 - expected) <= 1)
        }
        var bins = [Float](repeating: 0, count: 256)
        let hasSpectrum = bins.withUnsafeMutableBufferPointer {
            analyzer.copySpectrum(into: $0, channel: 0, at: MixRig.time(1500))
        }
        #expect(hasSpectrum)
        #expect(abs(bins[32] - 0.5) < 0.01)
        #expect(bins[100] < 0.001)
    }

    @Test(arguments: [1.0, 2])
    func `a waveform is exact to the sample`(rate: Double) {
        let rig = MixRig(sound: { frame, _ in Float(frame % 65_536) / 65_536 })
        let analyzer = AudioAnalyzerTap()
        rig.setTaps([analyzer])
        rig.play(rate: 1)
        rig.run(milliseconds: 900)
        var samples = [Float](repeating: 0, count: 100)
        for milliseconds in [100, 333, 700] {
            let isThere = samples.withUnsafeMutableBufferPointer {
                analyzer.copyWaveform(into: $0, channel: nil, at: MixRig.time(milliseconds))
            }
            #expect(isThere)
            for index in 0..<100 {
                #expect(abs(samples[index] * 65_536 - Float(milliseconds * 48 - 50 + index)) <= 1)
            }
        }
    }

    @Test func `after a jump back, the newest audio is found`() {
        let rig = MixRig(sound: { frame, _ in frame < 48_000 ? 0.25 : 0.5 })
        let analyzer = AudioAnalyzerTap()
        rig.setTaps([analyzer])
        rig.play()
        rig.run(milliseconds: 200)
        rig.seek(to: 96_000)
        rig.run(milliseconds: 200)
        var samples = [Float](repeating: 0, count: 10)
        let isThere = samples.withUnsafeMutableBufferPointer {
            analyzer.copyWaveform(into: $0, channel: 0, at: MixRig.time(2100))
        }
        #expect(isThere && samples.allSatisfy { $0 == 0.5 })
    }
}
