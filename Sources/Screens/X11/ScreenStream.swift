// SPDX-License-Identifier: Apache-2.0

import CPlayheadScreens
import Glibc
import PlayheadBuffers
import PlayheadCapturing
import PlayheadThreads
import PlayheadTime
import Synchronization

/// A stream that delivers a frame whenever something was drawn on a screen or in a window, but not
/// faster than the frame rate.
///
/// Its thread sleeps until the server reports drawing. Movements of the pointer are not reported,
/// so its position is polled while it is shown. If nothing is drawn, the last frame is delivered
/// again each second, without being copied, so that recordings continue. While a monitor is off or
/// unplugged, the stream is stalled.
///
/// - Concurrency: any thread may stop it.
final class ScreenStream: CaptureStream {
    let configuration: CaptureConfiguration
    private let source: ScreenSource
    private let connection: XConnection
    private let receiver: @Sendable (CaptureStreamEvent) -> Void
    private let wakeup: Int32
    private let thread = Mutex<WorkerThread?>(nil)
    private let periodNanoseconds: Int64
    private let damage: UInt32
    /// The size of the frames, which stays the same if the screen or the window is resized.
    private let width: Int
    private let height: Int

    /// The interval at which the position of the pointer is polled, in nanoseconds.
    private static let pointerInterval: Int64 = 33_000_000

    init(
        _ source: ScreenSource, _ requested: CaptureConfiguration,
        receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) throws(CaptureError) {
        self.source = source
        self.receiver = receiver
        connection = try XConnection(display: source.display)
        let area = try source.area(connection)
        (width, height) = (area.width, area.height)
        let handle = connection.handle
        var drawable = connection.root
        if case .window(let identifier) = source.place {
            drawable = identifier
            guard ph_composite_exists(handle), ph_composite_redirect(handle, identifier) else {
                throw CaptureError(
                    .deviceFailed, subject: source.localizedName,
                    cause:
                        "the X server cannot keep this window's contents off screen, because its "
                        + "Composite extension is missing or refuses",
                    remedy: "capture a part of the screen instead")
            }
        }
        try connection.requirePixels(
            ofDepth: connection.geometry(of: drawable)?.depth ?? 0, source.localizedName)
        var agreed = requested
        agreed.format.width = width
        agreed.format.height = height
        let duration = requested.requestedFrameDuration
        agreed.frameDuration = duration.isNumeric ? duration : MediaTime(value: 1, timescale: 60)
        configuration = agreed
        periodNanoseconds = agreed.frameDuration.nanoseconds ?? 16_666_667
        damage = xcb_generate_id(handle)
        guard ph_damage_exists(handle), ph_damage_create(handle, damage, drawable) else {
            throw CaptureError(
                .deviceFailed, subject: source.localizedName,
                cause: "the X server does not report changes of the screen",
                remedy: "use an X server with the DAMAGE extension")
        }
        if source.showsCursor { Self.prepareCursor(connection) }
        ph_randr_select(handle, connection.root)
        var mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue
        xcb_change_window_attributes(handle, drawable, XCB_CW_EVENT_MASK.rawValue, &mask)
        xcb_flush(handle)
        wakeup = ph_screen_wake_descriptor()
        guard wakeup >= 0 else {
            throw CaptureError.tooManyOpenFiles(source.localizedName)
        }
        let thread = WorkerThread(name: "ph-screen") { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    deinit { if wakeup >= 0 { close(wakeup) } }

    private static func prepareCursor(_ connection: XConnection) {
        let handle = connection.handle
        let version = xcb_xfixes_query_version_reply(
            handle, xcb_xfixes_query_version(handle, 4, 0), nil)
        free(version)
        xcb_xfixes_select_cursor_input(
            handle, connection.root, XCB_XFIXES_CURSOR_NOTIFY_MASK_DISPLAY_CURSOR.rawValue)
    }

    // MARK: - The thread

    /// The progress of the thread.
    private struct Progress {
        var area: ScreenArea
        var drawable: xcb_drawable_t
        var image: SharedImage
        var isDirty = true
        var isGone = false
        var mustRename = false
        /// A Boolean value that indicates whether the monitor may have another place or size, or be
        /// gone or back.
        var mustLocate = false
        /// A Boolean value that indicates whether the monitor is gone.
        var isAway = false
        var pacer: FramePacer
        /// The number of the last frame that was copied.
        var sequence = -1
        var last: PixelBuffer?
        var pointer: (x: Int, y: Int)?
        var nextLook = HostClock.nanoseconds
    }

    private func run() {
        guard let area = try? source.area(connection) else {
            receiver(.disconnected)
            return
        }
        var progress = Progress(
            area: area, drawable: connection.root,
            image: SharedImage(connection, pixelCount: area.width * area.height),
            mustRename: isWindow, pacer: FramePacer(periodNanoseconds: periodNanoseconds))
        let pool = PlainPixelBufferPool(byteLimit: max(1, width * height * 4 * 16))
        while wait(&progress) {
            if progress.mustLocate, let error = locate(&progress) {
                receiver(.failed(error))
                return
            }
            if progress.isGone || connection.isBroken {
                receiver(.disconnected)
                return
            }
            if progress.isAway { continue }
            if source.showsCursor, HostClock.nanoseconds >= progress.nextLook {
                progress.nextLook = HostClock.nanoseconds + Self.pointerInterval
                lookForPointer(&progress)
            }
            let now = HostClock.nanoseconds
            if progress.isDirty, progress.pacer.isDue(at: now) {
                progress.isDirty = false
                progress.pacer.note(now, deliveredAt: now)
                deliver(&progress, pool, at: now)
            } else if let last = progress.last, let end = progress.pacer.repetitionTime, now >= end
            {
                progress.pacer.note(now, deliveredAt: now)
                send(last, at: now, progress)
            }
        }
    }

    private var isWindow: Bool {
        if case .window = source.place { return true }
        return false
    }

    /// Waits until a frame is due, the pointer has to be checked, or the server sends an event.
    /// Returns false once the stream is stopped.
    private func wait(_ progress: inout Progress) -> Bool {
        // `poll` does not report events that came while the thread waited for a reply.
        takeEvents(&progress)
        if progress.isGone || progress.mustLocate { return true }
        let end = progress.isAway ? nil : nextTime(progress)
        var polled = [
            pollfd(
                fd: xcb_get_file_descriptor(connection.handle), events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
        ]
        let rest = end.map { max(0, $0 - HostClock.nanoseconds) }
        let timeout = rest.map { Int32(clamping: ($0 + 999_999) / 1_000_000) } ?? -1
        _ = poll(&polled, 2, timeout)
        if polled[1].revents != 0 { return false }
        takeEvents(&progress)
        return true
    }

    /// Returns the time at which a frame is due or the pointer has to be checked, in nanoseconds;
    /// nil if only events matter.
    private func nextTime(_ progress: Progress) -> Int64? {
        var end: Int64?
        if progress.isDirty { end = progress.pacer.nextTime }
        if progress.last != nil, let again = progress.pacer.repetitionTime {
            end = min(end ?? .max, again)
        }
        if source.showsCursor { end = min(end ?? .max, progress.nextLook) }
        return end
    }

    private func takeEvents(_ progress: inout Progress) {
        while let event = xcb_poll_for_event(connection.handle) {
            defer { free(event) }
            var drawn = xcb_rectangle_t()
            if ph_damage_is_notice(connection.handle, event, &drawn) {
                let area = ScreenArea(
                    x: Int(drawn.x), y: Int(drawn.y), width: Int(drawn.width),
                    height: Int(drawn.height))
                if isWindow || area.intersection(progress.area) != nil {
                    progress.isDirty = true
                } else {
                    ph_damage_forget(connection.handle, damage)
                    xcb_flush(connection.handle)
                }
                continue
            }
            switch Int32(ph_x_event_type(event)) {
            case XCB_CONFIGURE_NOTIFY:
                var (newWidth, newHeight): (UInt16, UInt16) = (0, 0)
                _ = ph_x_configured_window(event, &newWidth, &newHeight)
                if isWindow {
                    progress.mustRename = true
                    progress.area.width = Int(newWidth)
                    progress.area.height = Int(newHeight)
                } else {
                    progress.mustLocate = true
                }
                progress.isDirty = true
            case XCB_MAP_NOTIFY:
                progress.mustRename = isWindow
                progress.isDirty = true
            case XCB_DESTROY_NOTIFY: progress.isGone = isWindow
            default:
                if ph_randr_is_notice(connection.handle, event) {
                    progress.mustLocate = !isWindow
                    continue
                }
                // The shape of the cursor has changed.
                if source.showsCursor { progress.pointer = nil }
            }
        }
    }

    /// Finds the monitor again. Returns the error if the part that is captured is no longer in it.
    private func locate(_ progress: inout Progress) -> CaptureError? {
        progress.mustLocate = false
        do throws(CaptureError) {
            let area = try source.area(connection)
            guard area != progress.area || progress.isAway else { return nil }
            progress.area = area
            progress.isAway = false
            progress.isDirty = true
        } catch {
            guard error.code == .deviceDisconnected else { return error }
            if !progress.isAway, !connection.isBroken { receiver(.stalled) }
            progress.isAway = true
        }
        return nil
    }

    /// Queries the position of the pointer, and requests a frame if the visible pointer has moved
    /// since the last frame.
    private func lookForPointer(_ progress: inout Progress) {
        guard
            let reply = xcb_query_pointer_reply(
                connection.handle, xcb_query_pointer(connection.handle, connection.root), nil)
        else { return }
        defer { free(reply) }
        let place = (x: Int(reply.pointee.root_x), y: Int(reply.pointee.root_y))
        if let old = progress.pointer, old == place { return }
        let area = areaOnRoot(progress)
        let wasShown = progress.pointer.map { area.contains(x: $0.x, y: $0.y) } ?? true
        progress.pointer = place
        if wasShown || area.contains(x: place.x, y: place.y) { progress.isDirty = true }
    }

    /// The area of the frames on the root window.
    private func areaOnRoot(_ progress: Progress) -> ScreenArea {
        guard case .window(let identifier) = source.place else { return progress.area }
        var area = progress.area
        let cookie = xcb_translate_coordinates(
            connection.handle, identifier, connection.root, 0, 0)
        if let reply = xcb_translate_coordinates_reply(connection.handle, cookie, nil) {
            (area.x, area.y) = (Int(reply.pointee.dst_x), Int(reply.pointee.dst_y))
            free(reply)
        }
        return area
    }

    /// Copies the pixels into a frame. If the screen or the window has become smaller than the
    /// frames, the rest of the frame is black; if it has become larger, it is reduced.
    private func deliver(
        _ progress: inout Progress, _ pool: PlainPixelBufferPool, at time: Int64
    ) {
        // Drawing is reported again from now on. If the copy below contains some of it already, the
        // same pixels are delivered twice.
        ph_damage_forget(connection.handle, damage)
        if progress.mustRename {
            guard let pixmap = pixmap(replacing: progress) else { return }
            progress.drawable = pixmap
            progress.mustRename = false
        }
        let area = progress.area
        if !progress.image.fits(area) {
            progress.image = SharedImage(connection, pixelCount: area.width * area.height)
        }
        let reduction = PixelReduction((area.width, area.height), into: (width, height))
        let cursor = source.showsCursor ? CursorImage(connection) : nil
        let origin = cursor == nil ? area : areaOnRoot(progress)
        var buffer: PixelBuffer?
        let isCopied = progress.image.copy(area, of: progress.drawable) { pixels in
            guard let start = pixels.baseAddress else { return }
            cursor?.draw(
                over: pixels, bytesPerRow: area.width * 4, width: area.width, height: area.height,
                origin: (origin.x, origin.y))
            buffer = PixelBuffer(
                format: ScreenSource.pixelFormat, width: width, height: height,
                attachments: PixelBufferAttachments(color: configuration.format.color), pool: pool
            ) { _, bytes, bytesPerRow in
                reduction.fill(
                    bytes, bytesPerRow: bytesPerRow, from: start, bytesPerRow: area.width * 4)
            }
        }
        guard isCopied, let buffer else {
            // The size of the screen or the window has changed; the next event reports it.
            progress.mustRename = isWindow
            progress.mustLocate = !isWindow
            return
        }
        if let cursor { progress.pointer = (cursor.x, cursor.y) }
        progress.sequence += 1
        progress.last = buffer
        send(buffer, at: time, progress)
    }

    private func send(_ buffer: PixelBuffer, at time: Int64, _ progress: Progress) {
        receiver(
            .frame(
                CaptureFrame(
                    pixelBuffer: buffer, hostTime: MediaTime(nanoseconds: time),
                    arrivalTime: MediaTime(nanoseconds: HostClock.nanoseconds),
                    sequence: progress.sequence)))
    }

    /// Returns a pixmap that refers to the memory of the window; nil while the window is not
    /// visible. The server replaces the memory whenever the window's size changes.
    private func pixmap(replacing progress: Progress) -> xcb_pixmap_t? {
        guard case .window(let identifier) = source.place else { return progress.drawable }
        if progress.drawable != connection.root {
            xcb_free_pixmap(connection.handle, progress.drawable)
        }
        let pixmap = xcb_generate_id(connection.handle)
        return ph_composite_name(connection.handle, identifier, pixmap) ? pixmap : nil
    }

    func stop() {
        var one: UInt64 = 1
        _ = write(wakeup, &one, 8)
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread, !thread.isCurrent { thread.join() }
    }
}
