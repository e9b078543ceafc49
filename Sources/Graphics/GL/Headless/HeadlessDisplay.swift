// SPDX-License-Identifier: Apache-2.0

import CPlayheadEGL
import Glibc

/// The EGL display of headless contexts: the display of a GPU, if the machine has one.
///
/// If drivers of two vendors are installed, EGL asks each driver in turn for a surfaceless display.
/// If the GPU's driver does not support surfaceless displays, Mesa draws in software although the
/// GPU is idle. Therefore, if the first display belongs to a software rasteriser, the GPU's own
/// display is tried.
///
/// - Concurrency: any thread.
/// - Corresponds to: `EGLDisplay`; `EGL_EXT_platform_device`.
enum HeadlessDisplay {
    /// Returns an initialised display. The display stays initialised, because EGL has one display
    /// of each kind for the whole process.
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

    /// Returns the first of `displays` that starts. If it belongs to a software rasteriser, or if
    /// none starts, returns the first GPU display that starts. If no GPU display starts, returns
    /// the display of the software rasteriser, if there is one.
    ///
    /// - Parameters:
    ///   - displays: functions that open a display, in order of preference.
    ///   - devices: returns one function for each GPU, which opens the display of that GPU.
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

    /// Returns one function for each GPU, which opens the display of that GPU. The array is empty
    /// if Mesa's environment variable requests software.
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

    /// A Boolean value that indicates whether Mesa's `LIBGL_ALWAYS_SOFTWARE` is set, which other
    /// vendors' drivers do not read.
    private static var isSoftwareRequested: Bool {
        guard let value = getenv("LIBGL_ALWAYS_SOFTWARE") else { return false }
        return ["1", "true", "y", "yes"].contains(String(cString: value).lowercased())
    }

    /// Returns whether a device is a software rasteriser, as `EGL_MESA_device_software` indicates.
    /// A device without information is taken for a GPU.
    private static func isSoftware(_ device: EGLDeviceEXT?) -> Bool {
        guard let device, let names = ph_eglDeviceExtensions(device) else { return false }
        return String(cString: names).split(separator: " ").contains("EGL_MESA_device_software")
    }
}
