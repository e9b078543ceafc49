// SPDX-License-Identifier: Apache-2.0

import CPlayheadPipeWire
import PlayheadBus

/// A video stream from a node of PipeWire.
///
/// The owner's thread polls `descriptor` and calls `handleEvents` when it is readable.
///
/// - Concurrency: the thread that creates it.
/// - Ownership: call `close` at the end, also if there was no frame.
/// - Corresponds to: `pw_stream` in its direction of input.
final class PipeWireStream {
    /// A change of the stream.
    enum Event {
        /// Both sides have agreed on a format. Frames follow.
        case format(PipeWireVideo.Format)
        /// A frame, whose pixels may be used until the handler returns.
        case frame(PipeWireFrame)
        /// A frame is incomplete or marked as damaged.
        case damaged
        /// The node is gone, or PipeWire has ended or reports an error. No event follows.
        case ended(String)
    }

    private let functions: ph_pipewire
    private let handler: (Event) -> Void
    private let loop: UnsafeMutablePointer<ph_pw_loop>
    private let context: OpaquePointer
    private let core: OpaquePointer
    private let stream: OpaquePointer
    private let events: UnsafeMutablePointer<ph_pw_stream_events>
    private let hook: UnsafeMutablePointer<ph_pw_hook>
    private let node: UInt32
    private let registryEvents: UnsafeMutablePointer<ph_pw_registry_events>
    private let registryHook: UnsafeMutablePointer<ph_pw_hook>
    private var format: PipeWireVideo.Format?
    private var hasEnded = false
    private var isClosed = false

    /// The descriptor that is readable when `handleEvents` is to be called.
    let descriptor: Int32

    /// Connects to a node; nil if PipeWire does not accept the connection.
    ///
    /// - Parameters:
    ///   - remote: A connection to PipeWire that may use the node.
    ///   - framesPerSecond: The highest rate.
    init?(
        _ library: PipeWireLibrary, remote: BusFile, node: UInt32, framesPerSecond: UInt32,
        handler: @escaping (Event) -> Void
    ) {
        let functions = library.functions
        self.functions = functions
        self.handler = handler
        guard let loop = functions.loop_new?(nil) else { return nil }
        ph_pw_loop_enter(loop)
        self.loop = loop
        descriptor = ph_pw_loop_descriptor(loop)
        guard let context = functions.context_new?(loop, nil, 0) else {
            Self.destroy(functions, loop, nil, nil)
            return nil
        }
        self.context = context
        guard let core = functions.context_connect_fd?(context, remote.duplicate(), nil, 0)
        else {
            Self.destroy(functions, loop, context, nil)
            return nil
        }
        self.core = core
        let properties = functions.properties_new_string?(
            "media.type=Video media.category=Capture media.role=Screen")
        guard let stream = functions.stream_new?(core, "playhead", properties) else {
            Self.destroy(functions, loop, context, core)
            return nil
        }
        self.stream = stream
        hook = .allocate(capacity: 1)
        hook.initialize(to: ph_pw_hook())
        events = .allocate(capacity: 1)
        events.initialize(to: Self.makeEvents())
        self.node = node
        registryHook = .allocate(capacity: 1)
        registryHook.initialize(to: ph_pw_hook())
        registryEvents = .allocate(capacity: 1)
        registryEvents.initialize(to: Self.makeRegistryEvents())
        let own = Unmanaged.passUnretained(self).toOpaque()
        functions.stream_add_listener?(stream, hook, events, own)
        // With PipeWire 1.4, a stream whose node is gone only pauses, as one does for a moment
        // while its node changes the format.
        ph_pw_watch_registry(core, registryHook, registryEvents, own)
        let formats = PipeWireVideo.acceptedFormats(framesPerSecond: framesPerSecond)
        let status = Pod.withPointers(to: formats) { params, count in
            functions.stream_connect?(stream, 0, node, Self.flags, params, count) ?? -1
        }
        if status < 0 {
            close()
            return nil
        }
    }

    /// Connects at once, maps memory, and ends when the node is gone.
    private static let flags: Int32 = 1 << 0 | 1 << 2 | 1 << 7

    deinit {
        events.deallocate()
        hook.deallocate()
        registryEvents.deallocate()
        registryHook.deallocate()
    }

    /// Disconnects. No event follows.
    func close() {
        if isClosed { return }
        isClosed = true
        hasEnded = true
        functions.stream_destroy?(stream)
        Self.destroy(functions, loop, context, core)
    }

    private static func destroy(
        _ functions: ph_pipewire, _ loop: UnsafeMutablePointer<ph_pw_loop>,
        _ context: OpaquePointer?, _ core: OpaquePointer?
    ) {
        if let core { _ = functions.core_disconnect?(core) }
        if let context { functions.context_destroy?(context) }
        ph_pw_loop_leave(loop)
        functions.loop_destroy?(loop)
    }

    /// Handles what has arrived, without waiting.
    func handleEvents() {
        if !isClosed { ph_pw_loop_iterate(loop, 0) }
    }

    // MARK: - Events of the library

    private static func makeEvents() -> ph_pw_stream_events {
        var table = ph_pw_stream_events()
        table.version = 2
        table.state_changed = { context, old, state, error in
            PipeWireStream.from(context)?.note(old, state, error.map { String(cString: $0) })
        }
        table.param_changed = { context, identifier, param in
            PipeWireStream.from(context)?.take(identifier, param)
        }
        table.process = { context in PipeWireStream.from(context)?.takeFrames() }
        return table
    }

    private static func makeRegistryEvents() -> ph_pw_registry_events {
        var table = ph_pw_registry_events()
        table.global = { _, _, _, _, _, _ in }
        table.global_removed = { context, identifier in
            PipeWireStream.from(context)?.noteRemoval(identifier)
        }
        return table
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> PipeWireStream? {
        context.map { Unmanaged<PipeWireStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private func note(_ old: Int32, _ state: Int32, _ error: String?) {
        // -1 is an error, 0 unconnected, and a higher number a step of the connection.
        guard !hasEnded, state < 0 || state == 0 && old > 0 else { return }
        hasEnded = true
        handler(.ended(error ?? ""))
    }

    private func noteRemoval(_ identifier: UInt32) {
        guard !hasEnded, identifier == node else { return }
        hasEnded = true
        handler(.ended(""))
    }

    private func take(_ identifier: UInt32, _ param: UnsafeRawPointer?) {
        guard identifier == PipeWireVideo.format, !hasEnded else { return }
        format = nil
        guard let param else { return }
        let count = 8 + Int(param.loadUnaligned(as: UInt32.self))
        guard let pod = Pod(UnsafeRawBufferPointer(start: param, count: count)),
            let agreed = PipeWireVideo.Format(pod)
        else { return }
        format = agreed
        Pod.withPointers(to: PipeWireVideo.acceptedBuffers) { params, count in
            _ = functions.stream_update_params?(stream, params, count)
        }
        handler(.format(agreed))
    }

    private func takeFrames() {
        while !hasEnded, let buffer = functions.stream_dequeue_buffer?(stream) {
            if let format, let contents = buffer.pointee.frame {
                switch PipeWireFrame.read(contents, format) {
                case .frame(let frame): handler(.frame(frame))
                case .damaged: handler(.damaged)
                case .empty: break
                }
            }
            _ = functions.stream_queue_buffer?(stream, buffer)
        }
    }
}
