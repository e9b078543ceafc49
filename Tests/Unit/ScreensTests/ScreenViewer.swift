// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadBuffers
import PlayheadCapturing
import PlayheadPlayback
import PlayheadTime
import ScreenTestSupport
import Synchronization

/// A session that shows a device to a delegate, which reads the numbers of its frames.
final class ScreenViewer: CaptureVideoDataOutputDelegate {
    private struct State {
        var last: PixelBuffer?
        var times: [MediaTime] = []
        var numbers: [Int?] = []
        var events: [CaptureSession.Event] = []
    }

    let session = CaptureSession()
    let input: CaptureDeviceInput
    private let output = CaptureVideoDataOutput()
    private let state = Mutex(State())
    private let token = Mutex<ObservationToken?>(nil)

    init(_ device: CaptureDevice) throws {
        input = CaptureDeviceInput(device: device)
        try session.addInput(input)
        output.alwaysDiscardsLateVideoFrames = false
        output.setDelegate(self, queue: ObservationQueue { job in job() })
        try session.addOutput(output)
        let token = session.observe(on: ObservationQueue { job in job() }) { [weak self] event in
            self?.state.withLock { $0.events.append(event) }
        }
        self.token.withLock { $0 = token }
        try session.startRunning()
    }

    deinit { session.stopRunning() }

    func captureOutput(
        _ output: CaptureVideoDataOutput, didOutput frame: VideoFrame,
        from connection: CaptureConnection
    ) {
        state.withLock { state in
            state.last = frame.pixelBuffer
            state.times.append(frame.presentationTime)
            state.numbers.append(NumberProducer.number(in: frame.pixelBuffer))
        }
    }

    var last: PixelBuffer? { state.withLock { $0.last } }
    var times: [MediaTime] { state.withLock { $0.times } }
    /// The number of each frame; nil for a frame whose parts do not belong together.
    var numbers: [Int?] { state.withLock { $0.numbers } }
    var number: Int? { numbers.last ?? nil }

    /// Waits until the session has ended, and returns its error.
    func error() throws -> CaptureError {
        try eventually("an error") {
            state.withLock { state -> CaptureError? in
                for case .runtimeError(let error) in state.events { return error }
                return nil
            }
        }
    }
}
