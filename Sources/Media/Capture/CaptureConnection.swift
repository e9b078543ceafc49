// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
import Synchronization

/// The way of frames from an input to an output.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVCaptureConnection`.
public final class CaptureConnection: Sendable {
    /// A closure in a structure, which a lock stores unchanged.
    struct EnablingHandler: Sendable {
        var body: @Sendable () -> Void
    }

    private struct State {
        var isEnabled = true
        var isVideoMirrored = false
        var quarterTurns = 0
        /// Called after the connection was enabled or disabled.
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

    /// A Boolean value that indicates whether frames pass. A device without an enabled connection
    /// is closed, so that its light is off and others can use it.
    ///
    /// Setting it may open or close the device, which takes some time. The session's events report
    /// an error.
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

    /// A Boolean value that indicates whether the frames are mirrored. Samples stay as they are:
    /// the orientation of the frames, or of the recorded track, says so.
    public var isVideoMirrored: Bool {
        get { state.withLock { $0.isVideoMirrored } }
        set { state.withLock { $0.isVideoMirrored = newValue } }
    }

    /// The rotation of the frames in clockwise quarter turns, which their orientation states.
    ///
    /// - Corresponds to: `videoRotationAngle`.
    public var videoQuarterTurns: Int {
        get { state.withLock { $0.quarterTurns } }
        set { state.withLock { $0.quarterTurns = ((newValue % 4) + 4) % 4 } }
    }

    /// The orientation that frames have behind this connection.
    package var orientation: PictureOrientation {
        state.withLock {
            PictureOrientation(quarterTurns: $0.quarterTurns, isMirrored: $0.isVideoMirrored)
        }
    }

    /// Called when the connection is added to a session, or removed.
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
