// SPDX-License-Identifier: Apache-2.0

/// What an `AudioSink` is doing.
public enum AudioSinkStatus: Sendable, Hashable {
    /// Connected, without a source.
    case ready
    /// Pulling sound from its source.
    case running
    /// Has a source, and is halted.
    case paused
    /// Not heard for the time being. A sink goes on trying, and its clock goes on.
    case failed(AudioError)
}
