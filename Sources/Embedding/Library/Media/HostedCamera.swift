// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadCameras
import PlayheadCapturing
import PlayheadFFmpeg
import PlayheadPlayback
import Synchronization

/// A camera that a host has opened in place of media: a session and its outputs.
///
/// - Concurrency: any thread. A thread of its own opens and closes the device.
final class HostedCamera: Sendable {
    /// The state of the device.
    enum Phase: Sendable {
        case opening
        case ready
        case failed(CaptureError)
    }

    private struct State {
        var phase = Phase.opening
        var isClosed = false
        var input: CaptureDeviceInput?
        var token: ObservationToken?
    }

    /// The address, for errors.
    let name: String
    let outputs: HostedOutputs
    private let session = CaptureSession()
    private let previews: [CapturePreview]
    private let state = Mutex(State())
    private let work = SerialWork(name: "ph-session")
    /// The cameras of this machine. The list has a thread, which ends with this object.
    private let cameras = CaptureDiscoverySession.cameras(decoding: FFmpegSampleDecoding())

    init(_ name: String, wakeup: WakeupCallback) {
        self.name = name
        var previews: [CapturePreview] = []
        outputs = HostedOutputs(wakeup: wakeup) {
            let preview = CapturePreview()
            previews.append(preview)
            return preview
        }
        self.previews = previews
    }

    /// The state of the device.
    var phase: Phase { state.withLock { $0.phase } }

    /// The counts of the device's frames; nil before the device is open.
    var statistics: CaptureDeviceInput.Statistics? { state.withLock { $0.input }?.statistics }

    /// The settings that the driver has accepted; nil while the device is closed.
    var configuration: CaptureConfiguration? { statistics?.configuration }

    /// A Boolean value that indicates whether a frame has arrived.
    var hasFrame: Bool { previews[0].receivedFrameCount > 0 }

    /// Finds and opens the device, and calls a handler with the outcome.
    ///
    /// - Parameters:
    ///   - onEvent: Called on a thread of the library, for each event of the session.
    ///   - completion: Called on a thread of the library, unless the device is closed before.
    func open(
        _ address: CameraAddress, onEvent: @escaping @Sendable (CaptureSession.Event) -> Void,
        completion: @escaping @Sendable (Result<Void, CaptureError>) -> Void
    ) {
        work.perform { [self] in
            let result = Result { () throws(CaptureError) in
                try begin(address.device(in: cameras), onEvent)
            }
            let (isOpen, isNews) = state.withLock { state in
                // The session may have failed since it started, which was reported as an event.
                guard case .opening = state.phase else { return (!state.isClosed, false) }
                switch result {
                case .success: state.phase = .ready
                case .failure(let error): state.phase = .failed(error)
                }
                return (!state.isClosed, true)
            }
            if !isOpen { session.stopRunning() } else if isNews { completion(result) }
        }
    }

    private func begin(
        _ device: CaptureDevice, _ onEvent: @escaping @Sendable (CaptureSession.Event) -> Void
    ) throws(CaptureError) {
        let input = CaptureDeviceInput(device: device)
        try session.addInput(input)
        for preview in previews { try session.addOutput(preview) }
        let token = session.observe { [weak self] event in
            if case .runtimeError(let error) = event {
                self?.state.withLock { $0.phase = .failed(error) }
            }
            onEvent(event)
        }
        state.withLock { ($0.input, $0.token) = (input, token) }
        try session.startRunning()
    }

    /// Closes the device. Returns immediately.
    func close() {
        let token = state.withLock { state in
            state.isClosed = true
            defer { state.token = nil }
            return state.token
        }
        token?.cancel()
        work.perform { [self] in session.stopRunning() }
    }
}
