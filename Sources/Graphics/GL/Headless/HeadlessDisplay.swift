// SPDX-License-Identifier: Apache-2.0

import CPlayheadEGL
import Glibc

/// The EGL display of headless contexts: that of a GPU, if the machine has one.
///
/// With the drivers of two vendors installed, EGL asks one after the other for a surfaceless
/// display. A vendor without that platform declines, and Mesa then draws in software beside an idle
/// GPU. The GPU's own display is therefore tried if the first display is a software rasteriser's.
///
/// - Concurrency: any thread.
/// - Corresponds to: `EGLDisplay`; `EGL_EXT_platform_device`.
enum HeadlessDisplay {
    /// Returns an initialised display. It stays initialised: EGL has one of each kind for the whole
    /// process.
    static func initialized() throws(GLError) -> EGLDisplay? {
        let display = best(
            of: [surfaceless, ph_eglGetDefaultDisplay], devices: gpus,
            starts: { ph_eglInitialize($0, nil, nil) != 0 },
            isSoftware: { isSoftware(ph_eglDeviceOfDisplay($0)) })
        guard let display else {
            throw .unavailable(
                reason: "EGL has no display, \(HeadlessContext.lastError()); on Debian: "
                    + "apt install libegl-mesa0 libgl1-mesa-dri")
        }
        return display
    }

    /// Returns the first display that starts, or, if that is a software rasteriser's or there is
    /// none, the first display of a device that starts. A software display is better than none.
    ///
    /// - Parameters:
    ///   - displays: functions that open a display, in order of preference.
    ///   - devices: a function that returns such functions for each GPU.
    static func best<Display>(
        of displays: [() -> Display?], devices: () -> [() -> Display?],
        starts: (Display) -> Bool, isSoftware: (Display) -> Bool
    ) -> Display? {
        func first(of displays: [() -> Display?]) -> Display? {
            for open in displays {
                if let display = open(), starts(display) { return display }
            }
            return nil
        }
        let preferred = first(of: displays)
        if let preferred, !isSoftware(preferred) { return preferred }
        return first(of: devices()) ?? preferred
    }

    private static func surfaceless() -> EGLDisplay? {
        guard hasExtension("EGL_EXT_platform_base"), hasExtension("EGL_MESA_platform_surfaceless")
        else { return nil }
        return ph_eglGetPlatformDisplayEXT(UInt32(EGL_PLATFORM_SURFACELESS_MESA), nil, nil)
    }

    private static func hasExtension(_ name: String) -> Bool {
        ph_epoxy_has_egl_extension(ph_EGL_NO_DISPLAY(), name)
    }

    /// Returns functions that open the display of each GPU; none if Mesa's variable requests
    /// software.
    private static func gpus() -> [() -> EGLDisplay?] {
        guard !isSoftwareRequested, hasExtension("EGL_EXT_platform_base"),
            hasExtension("EGL_EXT_platform_device")
        else { return [] }
        var devices = [EGLDeviceEXT?](repeating: nil, count: 32)
        var count: EGLint = 0
        guard ph_eglQueryDevicesEXT(EGLint(devices.count), &devices, &count) != 0 else { return [] }
        return devices.prefix(Int(count)).filter { !isSoftware($0) }
            .map { device in { ph_eglGetDeviceDisplay(device) } }
    }

    /// Mesa's `LIBGL_ALWAYS_SOFTWARE`, which other vendors' drivers do not read.
    private static var isSoftwareRequested: Bool {
        guard let value = getenv("LIBGL_ALWAYS_SOFTWARE") else { return false }
        return ["1", "true", "y", "yes"].contains(String(cString: value).lowercased())
    }

    /// Returns true for the device of a software rasteriser, by `EGL_MESA_device_software`. An
    /// unknown device is a GPU.
    private static func isSoftware(_ device: EGLDeviceEXT?) -> Bool {
        guard let device, let names = ph_eglDeviceExtensions(device) else { return false }
        return String(cString: names).split(separator: " ").contains("EGL_MESA_device_software")
    }
}
