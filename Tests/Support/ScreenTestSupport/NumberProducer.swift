// SPDX-License-Identifier: Apache-2.0

import CPlayheadPipeWire
import Glibc
import MediaTestSupport
import PlayheadAssets
package import PlayheadBuffers
package import PlayheadScreens
import PlayheadThreads
import PlayheadTime

/// A source of frames in PipeWire, in the place of a compositor: each frame shows its number, and
/// all of it has one shade of grey that depends on the number.
///
/// - Concurrency: any thread.
/// - Ownership: the source ends with `end` or the object.
package final class NumberProducer: Sendable {
    private struct State {
        var format: PipeWireVideo.Format
        /// The visible part, if it is not all of the frame.
        var crop: ScreenArea?
        var node: UInt32?
        var isStreaming = false
        /// The numbers that are still to be sent.
        var waiting: ArraySlice<Int> = []
        var interval: Int64 = 0
        var waitsForConsumer = true
        var isOver = false
    }

    private let state: Monitor<State>
    private let thread: WorkerThread

    /// Creates a source, and waits until PipeWire has a node for it.
    package init(
        _ desktop: PrivateDesktop, pixels: PipeWireVideo.Pixels = .bgrx, width: Int = 640,
        height: Int = 360
    ) throws {
        let library = try unwrapped(PipeWireLibrary.shared, "libpipewire")
        let state = Monitor(
            State(
                format: PipeWireVideo.Format(pixels: pixels, width: width, height: height)))
        self.state = state
        let socket = desktop.connect()
        thread = WorkerThread(name: "test-producer") {
            Producer(library, socket, state)?.run()
            state.change { $0.isOver = true }
        }
        _ = try eventually("the node of the producer") { state.withLock { $0.node } }
    }

    deinit { end() }

    /// The number of the node.
    package var node: UInt32 { state.withLock { $0.node ?? 0 } }

    /// A Boolean value that indicates whether a consumer is connected.
    package var isStreaming: Bool { state.withLock { $0.isStreaming } }

    /// Sends numbers, one after another.
    ///
    /// - Parameter waitsForConsumer: Whether a number waits until the one before has arrived. If
    ///   not, a number that a busy machine has not passed on in time is lost.
    package func send(
        _ numbers: some Sequence<Int>, framesPerSecond: Int64 = 30, waitsForConsumer: Bool = true
    ) {
        state.change { state in
            state.waiting += numbers
            state.waitsForConsumer = waitsForConsumer
            state.interval = 1_000_000_000 / framesPerSecond
        }
    }

    /// A Boolean value that indicates whether all numbers have been sent.
    package var isIdle: Bool { state.withLock { $0.waiting.isEmpty } }

    /// Changes the size of later frames, as when a window is resized.
    package func resize(_ width: Int, _ height: Int) {
        state.change { ($0.format.width, $0.format.height) = (width, height) }
    }

    /// Declares a part of later frames visible.
    package func crop(_ area: ScreenArea?) { state.change { $0.crop = area } }

    /// Removes the node.
    package func end() {
        state.change { $0.isOver = true }
        if !thread.isCurrent { thread.join() }
    }

    /// Reads the number of a frame that a capture has delivered. Returns nil if the frame has none,
    /// or if its parts are of different frames.
    package static func number(in buffer: PixelBuffer) -> Int? {
        guard let number = FrameNumberStrip.read(from: buffer) else { return nil }
        let plane = buffer.planes[0]
        let last = plane.baseAddress + (buffer.height - 1) * plane.bytesPerRow
        let shade = last.load(fromByteOffset: (buffer.width - 1) * 4, as: UInt8.self)
        return shade == Self.shade(number) ? number : nil
    }

    fileprivate static func shade(_ number: Int) -> UInt8 { UInt8(1 + number % 251) }

    // MARK: - The thread

    /// The source, for its thread.
    private final class Producer {
        private let functions: ph_pipewire
        private let state: Monitor<State>
        private let loop: UnsafeMutablePointer<ph_pw_loop>
        private let context: OpaquePointer
        private let core: OpaquePointer
        private let stream: OpaquePointer
        private let events = UnsafeMutablePointer<ph_pw_stream_events>.allocate(capacity: 1)
        private let hook = UnsafeMutablePointer<ph_pw_hook>.allocate(capacity: 1)
        private var offered: PipeWireVideo.Format
        /// The format on which both sides have agreed.
        private var agreed: PipeWireVideo.Format?
        /// The time at which a frame was sent that has not arrived; nil if all have arrived.
        private var sendTime: Int64?
        /// The maximum time that a frame is waited for, in nanoseconds.
        private static let patience: Int64 = 2_000_000_000

        init?(_ library: PipeWireLibrary, _ socket: Int32, _ state: Monitor<State>) {
            functions = library.functions
            self.state = state
            offered = state.withLock { $0.format }
            // Otherwise the session manager suspends the node between two consumers, which frees
            // its buffers, perhaps while the second one connects.
            let properties =
                "media.class=Video/Source node.name=numbers session.suspend-timeout-seconds=0"
            guard let loop = functions.loop_new?(nil),
                let context = functions.context_new?(loop, nil, 0),
                let core = functions.context_connect_fd?(context, socket, nil, 0),
                let stream = functions.stream_new?(
                    core, "numbers", functions.properties_new_string?(properties))
            else { return nil }
            (self.loop, self.context, self.core, self.stream) = (loop, context, core, stream)
            ph_pw_loop_enter(loop)
            var table = ph_pw_stream_events()
            table.version = 2
            table.state_changed = { context, _, state, _ in
                Producer.from(context)?.note(state)
            }
            table.param_changed = { context, identifier, param in
                Producer.from(context)?.take(identifier, param)
            }
            table.trigger_done = { context in Producer.from(context)?.sendTime = nil }
            table.process = { context in Producer.from(context)?.fill() }
            events.initialize(to: table)
            hook.initialize(to: ph_pw_hook())
            functions.stream_add_listener?(
                stream, hook, events, Unmanaged.passUnretained(self).toOpaque())
            // The source decides when a frame is sent, and memory is mapped.
            let flags: Int32 = 1 << 3 | 1 << 2
            Pod.withPointers(to: [PipeWireVideo.offeredFormat(offered)]) {
                _ = functions.stream_connect?(stream, 1, .max, flags, $0, $1)
            }
        }

        private static func from(_ context: UnsafeMutableRawPointer?) -> Producer? {
            context.map { Unmanaged<Producer>.fromOpaque($0).takeUnretainedValue() }
        }

        func run() {
            var due = HostClock.nanoseconds
            while !state.withLock({ $0.isOver }) {
                var polled = pollfd(
                    fd: ph_pw_loop_descriptor(loop), events: Int16(POLLIN), revents: 0)
                _ = poll(&polled, 1, 2)
                ph_pw_loop_iterate(loop, 0)
                offer()
                let now = HostClock.nanoseconds
                let interval = state.withLock { state -> Int64? in
                    let isReady =
                        state.isStreaming && !state.waiting.isEmpty
                        && !(state.waitsForConsumer && now - (sendTime ?? 0) < Self.patience)
                    return isReady && agreed == state.format ? state.interval : nil
                }
                guard let interval, now >= due else { continue }
                due = max(due + interval, now - interval)
                sendTime = now
                _ = functions.stream_trigger_process?(stream)
            }
            functions.stream_destroy?(stream)
            _ = functions.core_disconnect?(core)
            functions.context_destroy?(context)
            ph_pw_loop_leave(loop)
            functions.loop_destroy?(loop)
            events.deallocate()
            hook.deallocate()
        }

        /// Publishes the node, and offers a new size.
        private func offer() {
            let node = functions.stream_get_node_id?(stream) ?? .max
            let format = state.withLock { state in
                if node != .max { state.node = node }
                return state.format
            }
            guard format != offered else { return }
            offered = format
            Pod.withPointers(to: [PipeWireVideo.offeredFormat(format)]) {
                _ = functions.stream_update_params?(stream, $0, $1)
            }
        }

        private func note(_ number: Int32) {
            sendTime = nil
            state.change { $0.isStreaming = number == 3 }
        }

        private func take(_ identifier: UInt32, _ param: UnsafeRawPointer?) {
            guard identifier == PipeWireVideo.format else { return }
            agreed = nil
            guard let param else { return }
            let count = 8 + Int(param.loadUnaligned(as: UInt32.self))
            agreed = Pod(UnsafeRawBufferPointer(start: param, count: count))
                .flatMap { PipeWireVideo.Format($0) }
            guard let agreed else { return }
            Pod.withPointers(to: PipeWireVideo.offeredBuffers(agreed)) {
                _ = functions.stream_update_params?(stream, $0, $1)
            }
        }

        /// Paints the next number into a buffer.
        private func fill() {
            guard let buffer = dequeue() else { return }
            defer { _ = functions.stream_queue_buffer?(stream, buffer) }
            guard let frame = buffer.pointee.frame, let data = frame.pointee.datas,
                let chunk = data.pointee.chunk
            else { return }
            chunk.pointee.size = 0
            // Buffers of the old size may still come.
            guard let format = agreed, let bytes = data.pointee.bytes,
                Int(data.pointee.size) >= format.width * format.height * 4
            else { return }
            let (next, crop) = state.change { ($0.waiting.popFirst(), $0.crop) }
            guard let number = next else { return }
            paint(number, bytes, format, crop)
            chunk.pointee = ph_pw_chunk(
                offset: 0, size: UInt32(format.width * format.height * 4),
                stride: Int32(format.width * 4), flags: 0)
            if let header = ph_pw_metadata(
                frame, PipeWireVideo.header, MemoryLayout<ph_pw_header>.size)
            {
                UnsafeMutableRawPointer(mutating: header).storeBytes(
                    of: ph_pw_header(
                        flags: 0, offset: 0, time: HostClock.nanoseconds, decoding_offset: 0,
                        sequence: UInt64(number)), as: ph_pw_header.self)
            }
            if let region = ph_pw_metadata(
                frame, PipeWireVideo.crop, MemoryLayout<ph_pw_region>.size)
            {
                UnsafeMutableRawPointer(mutating: region).storeBytes(
                    of: ph_pw_region(
                        x: Int32(crop?.x ?? 0), y: Int32(crop?.y ?? 0),
                        width: UInt32(crop?.width ?? format.width),
                        height: UInt32(crop?.height ?? format.height)), as: ph_pw_region.self)
            }
        }

        /// Returns a buffer that no consumer uses. Those in use are passed over: a consumer that has
        /// ended may never give them back.
        private func dequeue() -> UnsafeMutablePointer<ph_pw_buffer>? {
            for _ in 0..<16 {
                if let buffer = functions.stream_dequeue_buffer?(stream) { return buffer }
            }
            return nil
        }

        private func paint(
            _ number: Int, _ bytes: UnsafeMutableRawPointer, _ format: PipeWireVideo.Format,
            _ crop: ScreenArea?
        ) {
            memset(
                bytes, Int32(NumberProducer.shade(number)), format.width * format.height * 4)
            let (x, y, width) = (crop?.x ?? 0, crop?.y ?? 0, crop?.width ?? format.width)
            let size = FrameNumberStrip(pictureWidth: width).blockSize
            let columns = FrameNumberStrip.columns
            for (index, isWhite) in FrameNumberStrip.blocks(for: number).enumerated() {
                for row in 0..<size {
                    let line = y + index / columns * size + row
                    memset(
                        bytes + (line * format.width + x + index % columns * size) * 4,
                        isWhite ? 255 : 0, size * 4)
                }
            }
        }
    }
}

/// Returns a value; throws an error that names it if it is nil.
private func unwrapped<Value>(_ value: Value?, _ name: String) throws -> Value {
    guard let value else { throw MissingValue(description: "\(name) is missing") }
    return value
}

private struct MissingValue: Error, CustomStringConvertible {
    let description: String
}
