// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// The properties of a stream to PulseAudio.
///
/// - Corresponds to: the properties of a `pa_stream`.
public struct PulseAudioOptions: Sendable {
    /// The name of the application, which volume controls show.
    public var applicationName = "Playhead"
    /// The name of the stream, such as the title of a video.
    public var title = "Video"
    /// The server; nil for the server that the environment specifies.
    public var server: String?
    /// The name of the output device; nil to let the server choose.
    public var device: String?
    /// The sample rate, in frames per second. If nil, the device's sample rate is used, so that the
    /// server need not resample.
    public var sampleRate: Int? = 48_000
    /// The channels, in the order of the interleaved samples.
    public var channels: [AudioChannel] = [.frontLeft, .frontRight]
    /// The duration of audio that is buffered at the server, at least 10 ms. With a shorter
    /// duration, audio starts and stops sooner, but underruns are more likely on a busy machine.
    public var latency = MediaTime(value: 40, timescale: 1_000)
    /// The purpose of the audio. Desktops have a volume for each role, and lower or pause some
    /// roles in favour of others. It is PulseAudio's `media.role`: video, music, game, event,
    /// phone, animation, production, a11y.
    package var role = "video"
    /// The extra latency that the server does not report, by device name. Wireless loudspeakers and
    /// displays often have such latency.
    package var latencyOffsets: [String: MediaTime] = [:]
    /// The maximum time to wait for the server.
    package var deadline = MediaTime(value: 2, timescale: 1)

    static let shortestLatency = MediaTime(value: 10, timescale: 1_000)

    /// Creates the default options.
    public init() {}
}
