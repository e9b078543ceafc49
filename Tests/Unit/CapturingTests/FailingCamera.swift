// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Synchronization

@testable import PlayheadCapturing

/// A camera without frames whose streams fail when a test says so.
final class FailingCamera: CaptureDeviceBackend {
    private struct State {
        var startCount = 0
        var failsWhenStopped = false
        var receiver: (@Sendable (CaptureStreamEvent) -> Void)?
    }

    private final class Stream: CaptureStream {
        let configuration: CaptureConfiguration
        private let camera: FailingCamera

        init(_ configuration: CaptureConfiguration, of camera: FailingCamera) {
            self.configuration = configuration
            self.camera = camera
        }

        func stop() {
            if camera.failsWhenStopped { camera.fail() }
        }
    }

    let uniqueID = "failing"
    let localizedName = "Failing Camera"
    let isPresent = true
    private let state = Mutex(State())

    /// The number of times that the camera was opened.
    var startCount: Int { state.withLock { $0.startCount } }

    /// A Boolean value that indicates whether a stream fails while it is being closed.
    var failsWhenStopped: Bool {
        get { state.withLock { $0.failsWhenStopped } }
        set { state.withLock { $0.failsWhenStopped = newValue } }
    }

    /// Reports that the latest stream has failed.
    func fail() {
        let (receiver, count) = state.withLock { ($0.receiver, $0.startCount) }
        receiver?(
            .failed(
                CaptureError(
                    .deviceFailed, subject: localizedName, cause: "start \(count) has failed")))
    }

    func loadFormats() -> [CaptureFormat] {
        [
            CaptureFormat(
                mediaSubType: "NV12", width: 64, height: 64,
                frameRateRanges: [CaptureFrameRateRange(framesPerSecond: 30)])
        ]
    }

    func start(
        _ configuration: CaptureConfiguration,
        receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) -> any CaptureStream {
        state.withLock {
            $0.startCount += 1
            $0.receiver = receiver
        }
        return Stream(configuration, of: self)
    }
}
