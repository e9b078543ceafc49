// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadCapturing
import PlayheadPlayback
import PlayheadTime
import Synchronization

/// Cameras, which are opened in place of media.
extension HostedPlayer {
    /// Opens a camera in place of what is open. Returns immediately.
    func open(_ address: CameraAddress) throws {
        let camera = HostedCamera(address.text, wakeup: events.wakeup)
        let old = try commands.withLock { _ in
            keepIterations()
            return try publish(in: nil) { $0.camera = camera }
        }
        release(old)
        camera.outputs.watch.begin()
        camera.open(
            address,
            onEvent: { [weak self, weak camera] in if let camera { self?.note($0, of: camera) } },
            completion: { [weak self, weak camera] result in
                guard let self, let camera else { return }
                switch result {
                case .success:
                    note(PLAYHEAD_EVENT_READY, of: camera)
                    noteSize(of: camera)
                case .failure(let error): note(error, PLAYHEAD_EVENT_ERROR, of: camera)
                }
            })
    }

    private func note(_ event: CaptureSession.Event, of camera: HostedCamera) {
        switch event {
        case .didStart, .didStop: break
        case .wasInterrupted(let error), .deviceStalled(let error):
            note(error, PLAYHEAD_EVENT_WARNING, of: camera)
        // The driver may deliver another size than before.
        case .interruptionEnded, .deviceResumed: noteSize(of: camera)
        case .runtimeError(let error): note(error, PLAYHEAD_EVENT_ERROR, of: camera)
        }
    }

    private func noteSize(of camera: HostedCamera) {
        guard let format = camera.configuration?.format else { return }
        note(
            PLAYHEAD_EVENT_SIZE, of: camera,
            value: Int64(format.width) << 32 | Int64(format.height))
    }

    private func note(_ error: CaptureError, _ type: Int, of camera: HostedCamera) {
        HostLog.write(
            type == PLAYHEAD_EVENT_ERROR ? PLAYHEAD_LOG_ERROR : PLAYHEAD_LOG_WARNING,
            error.description)
        note(
            type, of: camera, status: Int(CallFailure(error).status), text: error.description)
    }

    /// Reports an event of a camera to the host, if the camera is still open.
    private func note(
        _ type: Int, of camera: HostedCamera, status: Int = PLAYHEAD_OK, value: Int64 = 0,
        text: String = ""
    ) {
        let event = EventQueue.Event(
            type: type, status: status, value: value, text: text, item: ObjectIdentifier(camera))
        let isAdded = control.withLock { control in
            guard control.camera === camera else { return false }
            events.append(event)
            return true
        }
        if isAdded { events.wakeup.call() }
    }
}
