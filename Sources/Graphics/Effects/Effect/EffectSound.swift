// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadGL
import PlayheadTime

/// The textures of an effect's `audio` and `audioFFT` inputs.
///
/// As in ISF, each channel is a row, and the first channel is at t = 0. The values of a waveform
/// are centred on one half. The values of a spectrum are amplitudes, beginning with the lowest
/// frequency. An input's `MAX` is the number of values in a row.
///
/// - Concurrency: render thread.
struct EffectSound {
    /// The number of samples of a waveform whose input has no `MAX`.
    static let waveformCount = 512
    static let spectrumCount = 256
    /// The maximum number of channels in a texture; shaders rarely read more than two.
    private static let channelLimit = 8

    private var textures: [String: GLTexture] = [:]
    private var values: [Float] = []

    /// Returns the texture of an input, or nil if there is no audio.
    func texture(_ name: String) -> GLTexture? { textures[name] }

    /// Updates the textures for a time.
    mutating func prepare(
        _ effect: Effect, source: (any AudioPictureSource)?, at time: Double,
        context: any GLContext
    ) throws(EffectError) {
        let channels = min(source?.channelCount ?? 0, Self.channelLimit)
        for input in effect.inputs where input.kind == .audio || input.kind == .audioFFT {
            let isWaveform = input.kind == .audio
            let count =
                input.sampleCount ?? (isWaveform ? Self.waveformCount : Self.spectrumCount)
            guard let source, channels > 0,
                fill(
                    source, count: count, channels: channels, isWaveform: isWaveform,
                    at: MediaTime(seconds: time))
            else {
                textures[input.name] = nil
                continue
            }
            let texture = try texture(input.name, width: count, height: channels, context)
            values.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                texture.upload(start, bytesPerRow: count * MemoryLayout<Float>.size)
            }
        }
    }

    private mutating func fill(
        _ source: any AudioPictureSource, count: Int, channels: Int, isWaveform: Bool,
        at time: MediaTime
    ) -> Bool {
        if values.count != count * channels {
            values = Array(repeating: 0, count: count * channels)
        }
        return values.withUnsafeMutableBufferPointer { values in
            for channel in 0..<channels {
                let row = UnsafeMutableBufferPointer(
                    rebasing: values[(channel * count)..<((channel + 1) * count)])
                guard isWaveform else {
                    guard source.copySpectrum(into: row, channel: channel, at: time) else {
                        return false
                    }
                    continue
                }
                guard source.copyWaveform(into: row, channel: channel, at: time) else {
                    return false
                }
                for index in row.indices { row[index] = 0.5 + 0.5 * row[index] }
            }
            return true
        }
    }

    private mutating func texture(
        _ name: String, width: Int, height: Int, _ context: any GLContext
    ) throws(EffectError) -> GLTexture {
        if let texture = textures[name], texture.width == width, texture.height == height {
            return texture
        }
        do throws(GLError) {
            let made = try GLTexture(
                format: context.capabilities.filterable(.r32Float), width: width, height: height,
                swizzle: GLTexture.Swizzle(red: .red, green: .red, blue: .red, alpha: .one),
                context: context)
            textures[name] = made
            return made
        } catch {
            throw .gl(error)
        }
    }
}
