// SPDX-License-Identifier: Apache-2.0

import PlayheadCapture
import PlayheadUI

/// The capture session of a live device, and its recording. The session runs while a `LiveStage`
/// shows the device.
@MainActor final class LiveCapture {
    let session = CaptureSession()
    let movie = CaptureMovieFileOutput()
    private let stage: LiveStage
    /// The error that ended the session, or the recording.
    private var failure: CaptureError?

    init(_ stage: LiveStage) { self.stage = stage }

    /// Adds the output that records, if the user asks for it. Inputs must have been added.
    func startRecording() throws {
        guard let path = stage.options.capture.record else { return }
        try session.addOutput(movie)
        movie.connection(with: .audio)?.isAudioMuted = stage.options.sound.mute
        try movie.startRecording(to: path)
    }

    /// Runs the session while the stage shows a performance.
    ///
    /// - Parameters:
    ///   - source: The source whose frames are shown; nil for none.
    ///   - effects: The effects whose files are watched.
    ///   - onStart: Called once the session runs.
    ///   - onEvent: Called after the session has handled an event.
    func run(
        _ performance: any LivePerformance, showing source: (any PixelBufferSource)? = nil,
        effects: [EffectInstance] = [], onStart: @escaping @MainActor () -> Void = {},
        onEvent: @escaping @MainActor (CaptureSession.Event) -> Void
    ) throws {
        let tokens = [
            session.observe(on: .main) { [weak self] event in
                MainActor.assumeIsolated {
                    self?.note(event)
                    onEvent(event)
                }
            },
            movie.observe(on: .main) { [weak self] event in
                MainActor.assumeIsolated { self?.note(event) }
            },
        ]
        defer { for token in tokens { token.cancel() } }
        try session.startRunning()
        defer {
            session.stopRunning()
            // If the session has failed, its recording has ended with it, and the file may not be
            // complete yet.
            _ = movie.complete()
        }
        onStart()
        guard try waitForSelection() else { return }
        try stage.run(performance, showing: source, effects: effects)
    }

    /// Waits until the size of the frames is known: on Wayland, the user selects what is captured.
    /// Returns false if the user ends the program instead.
    private func waitForSelection() throws -> Bool {
        Interruption.watch()
        let start = HostClock.nanoseconds
        var isTold = false
        while session.inputs.contains(where: \.isUndetermined) || !session.isRunning {
            // If an earlier selection is used again, there is no dialog.
            if !isTold, HostClock.nanoseconds - start > 500_000_000 {
                Console.note("waiting for a selection in the dialog of the desktop")
                isTold = true
            }
            MainLoop.shared.turn(waitingAtMost: 0.05)
            if try !continues() || Interruption.isRequested { return false }
        }
        return true
    }

    private func note(_ event: CaptureSession.Event) {
        switch event {
        case .deviceStalled(let error), .wasInterrupted(let error): Console.note(error.description)
        case .runtimeError(let error): end(with: error)
        case .deviceResumed, .interruptionEnded, .didStart, .didStop: break
        }
    }

    private func note(_ event: CaptureMovieFileOutput.Event) {
        guard case .didFinish(_, let error?) = event else { return }
        // If the session has failed, the recording has no frame for that reason, which follows.
        if session.isRunning || ![.cannotWrite, .diskFull].contains(error.code) {
            end(with: error)
        }
    }

    private func end(with error: CaptureError) {
        failure = error
        stage.isRunning = false
    }

    /// Returns false if the recording has reached its limit, and throws any other error that ended
    /// the session or the recording.
    func continues() throws -> Bool {
        guard let failure else { return true }
        self.failure = nil
        if failure.isLimitOfRecording { return false }
        throw failure
    }

    /// Pauses or resumes the recording.
    func toggleRecording() {
        if movie.isRecordingPaused { movie.resumeRecording() } else { movie.pauseRecording() }
    }

    /// The state of the recording, as text for the end of a window's title.
    var title: String {
        guard movie.isRecording else { return "" }
        return movie.isRecordingPaused ? ", paused" : ", recording"
    }
}

extension CaptureMovieFileOutput {
    /// Ends the recording, and waits for its file. A signal that has asked the program to quit does
    /// not end this, because a large file on a slow disk takes longer than other programs wait.
    func complete() -> CaptureError? {
        var error: CaptureError?
        ExitDeadline.extended { error = stopRecordingAndWait() }
        return error
    }
}

extension CaptureDeviceInput {
    /// A Boolean value that indicates whether the size of the frames is not known yet.
    fileprivate var isUndetermined: Bool {
        device.mediaType == .video && statistics.configuration?.format.width == 0
    }
}
