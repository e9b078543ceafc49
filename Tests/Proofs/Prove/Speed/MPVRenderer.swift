// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc

/// libmpv's render API (render.h, render_gl.h), loaded at run time: draws a video's frames, as fast
/// as they are requested, into a framebuffer of the caller.
///
/// - Concurrency: the thread on which a context is current.
final class MPVRenderer {
    private typealias Create = @convention(c) () -> OpaquePointer?
    private typealias Handle = @convention(c) (OpaquePointer) -> Int32
    private typealias SetOption =
        @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
    private typealias Command =
        @convention(c) (OpaquePointer, UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Int32
    private typealias WaitEvent = @convention(c) (OpaquePointer, Double) -> UnsafePointer<Int32>?
    private typealias CreateContext =
        @convention(c) (
            UnsafeMutablePointer<OpaquePointer?>, OpaquePointer, UnsafeRawPointer
        ) -> Int32
    private typealias Update = @convention(c) (OpaquePointer) -> UInt64
    private typealias Render = @convention(c) (OpaquePointer, UnsafeRawPointer) -> Int32
    private typealias Free = @convention(c) (OpaquePointer) -> Void
    private typealias SetCallback =
        @convention(c) (
            OpaquePointer, @convention(c) (UnsafeMutableRawPointer?) -> Void,
            UnsafeMutableRawPointer?
        ) -> Void

    /// `mpv_render_param`.
    private struct Parameter {
        var type: Int
        var data: UnsafeMutableRawPointer?
    }
    /// `mpv_render_param_type` and `mpv_event_id`.
    private enum Kind {
        static let end = 0
        static let apiType = 1
        static let openGLInit = 2
        static let openGLFramebuffer = 3
        static let blockForTargetTime = 12
        static let eventShutdown: Int32 = 1
        static let eventEndFile: Int32 = 7
        static let updateFrame: UInt64 = 1
    }

    private let library: UnsafeMutableRawPointer
    private let handle: OpaquePointer
    private let context: OpaquePointer
    private let hasUpdate = DispatchSemaphore(value: 0)

    init(film: String) throws {
        guard let library = dlopen("libmpv.so.2", RTLD_NOW) ?? dlopen("libmpv.so.1", RTLD_NOW)
        else { throw CannotProve("libmpv is missing; apt-get install libmpv2") }
        self.library = library
        setlocale(LC_NUMERIC, "C")
        func symbol<Function>(_ name: String, as type: Function.Type) throws -> Function {
            guard let address = dlsym(library, name) else { throw CannotProve("no \(name)") }
            return unsafeBitCast(address, to: type)
        }
        guard let handle = try symbol("mpv_create", as: Create.self)() else {
            throw CannotProve("libmpv does not start")
        }
        self.handle = handle
        let set = try symbol("mpv_set_option_string", as: SetOption.self)
        for (name, value) in [
            ("config", "no"), ("terminal", "no"), ("load-scripts", "no"), ("ytdl", "no"),
            ("vo", "libmpv"), ("audio", "no"), ("hwdec", "no"), ("untimed", "yes"),
            ("framedrop", "no"), ("video-timing-offset", "0"), ("vd-lavc-threads", "2"),
            ("osd-level", "0"), ("osc", "no"), ("keep-open", "no"),
        ] {
            _ = set(handle, name, value)
        }
        guard try symbol("mpv_initialize", as: Handle.self)(handle) >= 0 else {
            throw CannotProve("libmpv does not start")
        }
        var made: OpaquePointer?
        let lookUp:
            @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) ->
                UnsafeMutableRawPointer? = { _, name in
                    guard let name, let egl = dlopen("libEGL.so.1", RTLD_NOW),
                        let address = dlsym(egl, "eglGetProcAddress")
                    else { return nil }
                    typealias GetProcAddress =
                        @convention(c) (UnsafePointer<CChar>) -> UnsafeMutableRawPointer?
                    return unsafeBitCast(address, to: GetProcAddress.self)(name)
                }
        // `mpv_opengl_init_params`, valid for 0.35 and before: the function, its context,
        // extensions.
        var initial = (
            unsafeBitCast(lookUp, to: UnsafeMutableRawPointer?.self),
            UnsafeMutableRawPointer?.none, UnsafeMutableRawPointer?.none
        )
        var api = Array("opengl".utf8CString)
        let create = try symbol("mpv_render_context_create", as: CreateContext.self)
        let status = api.withUnsafeMutableBytes { api in
            withUnsafeMutablePointer(to: &initial) { initial in
                let parameters = [
                    Parameter(type: Kind.apiType, data: api.baseAddress),
                    Parameter(type: Kind.openGLInit, data: initial),
                    Parameter(type: Kind.end, data: nil),
                ]
                return create(&made, handle, parameters)
            }
        }
        guard status >= 0, let made else { throw CannotProve("libmpv draws nothing: \(status)") }
        context = made
        let setCallback = try symbol(
            "mpv_render_context_set_update_callback", as: SetCallback.self)
        setCallback(
            context,
            { semaphore in
                guard let semaphore else { return }
                Unmanaged<DispatchSemaphore>.fromOpaque(semaphore).takeUnretainedValue().signal()
            }, Unmanaged.passUnretained(hasUpdate).toOpaque())
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("loadfile"), strdup(film)]
        defer { for word in words { free(word) } }
        var arguments = words.map { UnsafePointer<CChar>($0) } + [nil]
        guard try symbol("mpv_command", as: Command.self)(handle, &arguments) >= 0 else {
            throw CannotProve("libmpv does not open \(film)")
        }
    }

    deinit {
        Self.call("mpv_render_context_free", in: library, as: Free.self)(context)
        Self.call("mpv_terminate_destroy", in: library, as: Free.self)(handle)
    }

    /// Waits for the next frame; returns false at the end of the video.
    func waitForFrame() throws -> Bool {
        let update = Self.call("mpv_render_context_update", in: library, as: Update.self)
        let next = Self.call("mpv_wait_event", in: library, as: WaitEvent.self)
        let deadline = ProcessInfo.processInfo.systemUptime + 60
        while ProcessInfo.processInfo.systemUptime < deadline {
            if update(context) & Kind.updateFrame != 0 { return true }
            var event = next(handle, 0)?.pointee ?? 0
            while event != 0 {
                if event == Kind.eventEndFile || event == Kind.eventShutdown { return false }
                event = next(handle, 0)?.pointee ?? 0
            }
            _ = hasUpdate.wait(timeout: .now() + .milliseconds(10))
        }
        throw CannotProve("libmpv returns no more frames")
    }

    func render(framebuffer: UInt32, width: Int, height: Int) {
        // `mpv_opengl_fbo`: name, width, height, and the format, which is unknown.
        var target = (Int32(framebuffer), Int32(width), Int32(height), Int32(0))
        var blocks: Int32 = 0
        withUnsafeMutablePointer(to: &target) { target in
            withUnsafeMutablePointer(to: &blocks) { blocks in
                let parameters = [
                    Parameter(type: Kind.openGLFramebuffer, data: target),
                    Parameter(type: Kind.blockForTargetTime, data: blocks),
                    Parameter(type: Kind.end, data: nil),
                ]
                _ = Self.call("mpv_render_context_render", in: library, as: Render.self)(
                    context, parameters)
            }
        }
        Self.call("mpv_render_context_report_swap", in: library, as: Free.self)(context)
    }

    private static func call<Function>(
        _ name: String, in library: UnsafeMutableRawPointer, as type: Function.Type
    ) -> Function {
        guard let address = dlsym(library, name) else {
            preconditionFailure("libmpv has no \(name), which its interface declares")
        }
        return unsafeBitCast(address, to: type)
    }
}
