// SPDX-License-Identifier: Apache-2.0

/// The state of an `AudioSink`.
public enum AudioSinkStatus: Sendable, Hashable {
    /// Connected, without a source.
    case ready
    /// Requests audio from its source.
    case running
    /// Has a source, and is paused.
    case paused
    /// Not audible at present. A sink keeps trying, and its clock continues.
    case failed(AudioError)
}
