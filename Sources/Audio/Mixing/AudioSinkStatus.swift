// SPDX-License-Identifier: Apache-2.0

/// The state of an `AudioSink`.
public enum AudioSinkStatus: Sendable, Hashable {
    /// The sink is connected and has no source.
    case ready
    /// The sink requests audio from its source.
    case running
    /// The sink has a source and is paused.
    case paused
    /// The sink is not audible at present. It keeps trying, and its clock continues.
    case failed(AudioError)
}
