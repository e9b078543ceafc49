// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
package import PlayheadBuffers
import Synchronization

/// A connection that carries frames or audio from an input to an output.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVCaptureConnection`.
public final class CaptureConnection: Sendable {
    /// A structure that holds a closure, so that a lock stores the closure unchanged.
    struct EnablingHandler: Sendable {
        var body: @Sendable () -> Void
    }

    private struct State {
        var isEnabled = true
        var isVideoMirrored = false
        var quarterTurns = 0
        /// The channels of audio; empty until they are first requested.
        var audioChannels: [CaptureAudioChannel] = []
        /// The handler that is called after the connection was enabled or disabled.
        var onEnabling: EnablingHandler?
    }

    /// The source of the frames.
    public let input: CaptureDeviceInput
    /// The receiver of the frames.
    public let output: CaptureOutput
    private let state = Mutex(State())

    /// Creates a connection, for a session's `addConnection`.
    public init(input: CaptureDeviceInput, output: CaptureOutput) {
        self.input = input
        self.output = output
    }

    /// A Boolean value that indicates whether frames are delivered. A device without an enabled
    /// connection is closed, so that its light is off and other programs can use it.
    ///
    /// Setting this value may open or close the device, which takes some time. If the device cannot
    /// be opened, the session reports the error as an event.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set {
            let handler = state.withLock { state -> EnablingHandler? in
                guard state.isEnabled != newValue else { return nil }
                state.isEnabled = newValue
                return state.onEnabling
            }
            handler?.body()
        }
    }

    /// A Boolean value that indicates whether the frames are mirrored. The samples do not change:
    /// mirroring is stated in the orientation of the frames, or of the recorded track.
    public var isVideoMirrored: Bool {
        get { state.withLock { $0.isVideoMirrored } }
        set { state.withLock { $0.isVideoMirrored = newValue } }
    }

    /// The rotation of the frames, in clockwise quarter turns. The samples do not change: the
    /// rotation is stated in the orientation of the frames.
    ///
    /// - Corresponds to: `videoRotationAngle`.
    public var videoQuarterTurns: Int {
        get { state.withLock { $0.quarterTurns } }
        set { state.withLock { $0.quarterTurns = ((newValue % 4) + 4) % 4 } }
    }

    // MARK: - Audio

    /// The channels of audio, with their levels and volumes; empty for video, or if the device's
    /// format cannot be loaded.
    public var audioChannels: [CaptureAudioChannel] {
        guard input.mediaType == .audio else { return [] }
        if let channels = state.withLock({ $0.audioChannels.isEmpty ? nil : $0.audioChannels }) {
            return channels
        }
        let count = try? input.device.loadConfiguration().format.audioFormat?.channelCount
        return channels(count ?? 0)
    }

    /// A Boolean value that indicates whether all channels of audio are silent; `false` by default.
    public var isAudioMuted: Bool {
        get {
            let channels = audioChannels
            return !channels.isEmpty && channels.allSatisfy { !$0.isEnabled }
        }
        set { for channel in audioChannels { channel.isEnabled = !newValue } }
    }

    /// Returns the channels of audio. Creates new channels if their number is not `count`.
    private func channels(_ count: Int) -> [CaptureAudioChannel] {
        state.withLock { state in
            if state.audioChannels.count != count {
                state.audioChannels = (0..<count).map { _ in CaptureAudioChannel() }
            }
            return state.audioChannels
        }
    }

    /// Measures the levels of audio, and returns the audio with the volumes of the connection's
    /// channels applied.
    func passed(_ audio: AudioBuffer) -> AudioBuffer {
        audio.passed(through: channels(audio.format.channelCount))
    }

    /// Sets the levels to silence, because the device is closed.
    func resetLevels() {
        for channel in state.withLock({ $0.audioChannels }) { channel.resetLevels() }
    }

    // MARK: - Video

    /// The orientation of the frames that this connection delivers.
    package var orientation: PictureOrientation {
        state.withLock {
            PictureOrientation(quarterTurns: $0.quarterTurns, isMirrored: $0.isVideoMirrored)
        }
    }

    /// Sets the handler that is called after the connection was enabled or disabled. The session
    /// calls this method when the connection is added or removed.
    func onEnabling(_ handler: EnablingHandler?) { state.withLock { $0.onEnabling = handler } }
}

extension PixelBuffer {
    /// Returns the buffer with an orientation, without a copy of its samples.
    func oriented(_ orientation: PictureOrientation) -> PixelBuffer {
        guard orientation != attachments.orientation else { return self }
        var attachments = attachments
        attachments.orientation = orientation
        return PixelBuffer(
            format: format, width: width, height: height, planes: planes,
            attachments: attachments, memory: memory, hostTime: hostTime, owner: self)
    }
}
