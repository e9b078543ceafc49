// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// An input of an `AudioMixer`. The input acts as the sink of one renderer.
///
/// - Concurrency: any thread.
final class AudioMixerInput: AudioSink {
    private let mixer: AudioMixer
    /// The group of inputs that are summed together, and the position of this input in the group.
    let group: Int
    let order: Int

    init(_ mixer: AudioMixer, group: Int, order: Int) {
        self.mixer = mixer
        self.group = group
        self.order = order
    }

    var format: AudioFormat { mixer.sink.format }
    var clock: any MediaClock { mixer.sink.clock }
    var latency: MediaTime { mixer.sink.latency }
    var delay: MediaTime { mixer.delay }
    var underruns: Int { mixer.sink.underruns }
    var isAwake: Bool { mixer.sink.isAwake }

    var status: AudioSinkStatus {
        let status = mixer.sink.status
        if case .running = status, !mixer.isRunning(self) { return .paused }
        return status
    }

    /// Connects the renderer.
    ///
    /// - Precondition: the source is an `AudioRenderer`, because only an `AudioRenderer` has an end
    ///   that another source can follow.
    func start(_ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void) {
        guard let renderer = source as? AudioRenderer else {
            preconditionFailure("an input of a mixer takes an AudioRenderer")
        }
        mixer.start(self, renderer, onStatusChange: onStatusChange)
    }

    func resume() { mixer.resume(self) }
    func pause() { mixer.pause(self) }
    func stop() { mixer.stop(self) }
}
