// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// A stage that applies the volume and the pan of a mix to the audio of one track that is written
/// instead of played. The ramps are the same as during playback.
///
/// - Concurrency: one thread at a time.
package final class OfflineAudioMix {
    private let program: MixProgram
    private var stage: MixStage
    private let format: AudioFormat
    private var hasBegun = false

    /// Creates the mix of a track.
    ///
    /// - Precondition: The parameters have no taps, because taps are called only by an audio
    ///   device.
    package init(_ parameters: AudioMixInputParameters, format: AudioFormat) {
        precondition(parameters.taps.isEmpty, "taps are called by a device")
        self.format = format
        program = MixProgram(parameters, format: format, lead: 0)
        stage = MixStage(sampleRate: format.sampleRate, channelCount: format.channelCount)
    }

    /// Applies the mix to interleaved samples that follow the samples of the previous call.
    ///
    /// - Parameter time: The time of the first sample in the asset.
    package func apply(to samples: UnsafeMutableBufferPointer<Float>, at time: MediaTime) {
        guard let first = samples.baseAddress, let time = time.nearestNanoseconds else { return }
        stage.apply(
            program, to: first, frameCount: samples.count / format.channelCount, time: time,
            rate: 1, isStart: !hasBegun)
        hasBegun = true
    }
}
