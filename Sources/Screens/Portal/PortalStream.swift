// SPDX-License-Identifier: Apache-2.0

import CPlayheadPipeWire
import Glibc
import PlayheadBus
import PlayheadCapturing
import PlayheadThreads
import PlayheadTime
import Synchronization

/// A stream that lets the user select a screen or a window, and then delivers a frame whenever the
/// compositor has drawn there.
///
/// Its thread first holds the conversation with the portal, and then receives frames. Nothing waits
/// for the user: until the size of the frames is known, the configuration has none.
///
/// - Concurrency: any thread may stop it.
final class PortalStream: CaptureStream {
    private let source: PortalSource
    private let library: PipeWireLibrary
    private let receiver: @Sendable (CaptureStreamEvent) -> Void
    private let agreed: Mutex<CaptureConfiguration>
    private let wakeup: Int32
    private let events = Mutex<[ScreenCastDialogue.Event]>([.begin])
    private let thread = Mutex<WorkerThread?>(nil)
    private static let lastNumber = Atomic(0)

    init(
        _ source: PortalSource, _ library: PipeWireLibrary, _ requested: CaptureConfiguration,
        receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) throws(CaptureError) {
        self.source = source
        self.library = library
        self.receiver = receiver
        agreed = Mutex(requested)
        wakeup = ph_pw_wake_descriptor()
        guard wakeup >= 0 else {
            throw CaptureError.tooManyOpenFiles(source.localizedName)
        }
        let thread = WorkerThread(name: "ph-screen") { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    deinit { close(wakeup) }

    var configuration: CaptureConfiguration { agreed.withLock { $0 } }

    func stop() {
        post(.cancelled)
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread, !thread.isCurrent { thread.join() }
    }

    private func post(_ event: ScreenCastDialogue.Event) {
        events.withLock { $0.append(event) }
        eventfd_write(wakeup, 1)
    }

    // MARK: - The thread

    /// The state of the thread.
    private struct Progress {
        var dialogue: ScreenCastDialogue
        var frames: PortalFrames?
        var stream: PipeWireStream?
        /// A Boolean value that indicates whether the stream was stopped, or has failed.
        var isOver = false
    }

    private func run() {
        guard let connection = source.takeConnection() else {
            receiver(.failed(ScreenCastDialogue.absence))
            return
        }
        connection.begin { [weak self] event in self?.post(event) }
        let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        var progress = Progress(
            dialogue: ScreenCastDialogue(
                source.content, showsCursor: source.showsCursor, restoreToken: source.restoreToken,
                isRemembered: source.tokenHandler != nil, token: "playhead\(getpid())n\(number)s"))
        while !progress.isOver {
            for event in takeEvents() {
                let actions = progress.dialogue.handle(event)
                if case .cancelled = event { progress.isOver = true }
                for action in actions { perform(action, connection, &progress) }
            }
            if progress.isOver { break }
            wait(&progress)
        }
        progress.stream?.close()
        // This closes the session, unless the conversation has ended by itself.
        for action in progress.dialogue.handle(.cancelled) {
            perform(action, connection, &progress)
        }
        connection.end()
        if progress.dialogue.needsConnection {
            source.keep(connection)
        } else {
            connection.close()
        }
    }

    private func takeEvents() -> [ScreenCastDialogue.Event] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// Waits for an event, for frames, or until a frame has to be repeated.
    private func wait(_ progress: inout Progress) {
        var limit: Int64?
        if let frames = progress.frames {
            limit = frames.waitNanoseconds
        } else if !progress.dialogue.isPatient {
            limit = ScreenCastDialogue.patience
        }
        var polled = [pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)]
        if let stream = progress.stream {
            polled.append(pollfd(fd: stream.descriptor, events: Int16(POLLIN), revents: 0))
        }
        let timeout = limit.map { Int32(clamping: ($0 + 999_999) / 1_000_000) } ?? -1
        let count = poll(&polled, nfds_t(polled.count), timeout)
        if polled[0].revents != 0 {
            var number: eventfd_t = 0
            eventfd_read(wakeup, &number)
        }
        progress.stream?.handleEvents()
        if let frames = progress.frames {
            if let error = frames.look() { end(error, &progress) }
        } else if count == 0 {
            post(.timedOut)
        }
    }

    private func end(_ error: CaptureError, _ progress: inout Progress) {
        if progress.isOver { return }
        progress.isOver = true
        receiver(.failed(error))
    }

    // MARK: - The conversation

    private func perform(
        _ action: ScreenCastDialogue.Action, _ connection: PortalConnection,
        _ progress: inout Progress
    ) {
        switch action {
        case .call(let call):
            connection.call(call) { [weak self] reply in
                switch reply {
                case .success(let values): self?.post(.replied(member: call.member, values))
                case .failure(let error): self?.post(.refused(member: call.member, error))
                }
            }
        case .remember(let token): source.remember(token)
        case .granted(let grant): open(grant, &progress)
        case .failed(let error): end(error, &progress)
        }
    }

    /// Connects to the stream that the user has granted.
    private func open(_ grant: ScreenCastDialogue.Grant, _ progress: inout Progress) {
        let frames = PortalFrames(
            source.content, part: source.part, configuration,
            patienceNanoseconds: source.patienceNanoseconds
        ) { [self] event in
            if case .configured(let configuration) = event {
                agreed.withLock { $0 = configuration }
            }
            receiver(event)
        }
        let rate = configuration.requestedFrameDuration
        let framesPerSecond = rate.isNumeric && rate > .zero ? (1 / rate.seconds).rounded(.up) : 60
        guard
            let stream = PipeWireStream(
                library, remote: grant.remote, node: grant.node,
                framesPerSecond: UInt32(max(1, min(1000, framesPerSecond))),
                handler: { frames.handle($0) })
        else {
            end(
                CaptureError(
                    .deviceFailed, subject: source.content.noun,
                    cause: "PipeWire accepts no connection",
                    remedy: "install libpipewire-0.3-modules, or restart PipeWire: "
                        + "systemctl --user restart pipewire"), &progress)
            return
        }
        (progress.frames, progress.stream) = (frames, stream)
    }
}
