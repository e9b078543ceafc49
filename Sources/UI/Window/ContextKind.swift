// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW

/// A kind of OpenGL context that GLFW creates for a window.
enum ContextKind: CaseIterable {
    // In the order in which they are tried. An X server without GLX may have OpenGL by EGL, and
    // processors of small boards often support OpenGL ES 3 and no OpenGL later than 3.1.
    /// OpenGL by GLX on X11, and by EGL on Wayland.
    case native
    /// OpenGL by EGL.
    case egl
    /// OpenGL ES by EGL.
    case embedded

    /// The kind of the context of a window.
    init(of window: OpaquePointer) {
        if glfwGetWindowAttrib(window, GLFW_CLIENT_API) == GLFW_OPENGL_ES_API {
            self = .embedded
        } else {
            let creation = glfwGetWindowAttrib(window, GLFW_CONTEXT_CREATION_API)
            self = creation == GLFW_EGL_CONTEXT_API ? .egl : .native
        }
    }

    private var isES: Bool { self == .embedded }

    /// The versions to request, in this order. NVIDIA's driver returns exactly the requested
    /// version. The first request is therefore for the newest version that Playhead uses, which has
    /// compute shaders.
    var versions: [(major: Int32, minor: Int32)] { isES ? [(3, 1), (3, 0)] : [(4, 3), (3, 3)] }

    /// Sets the hints of the next window's context, except for its version.
    func setHints() {
        glfwWindowHint(GLFW_CLIENT_API, isES ? GLFW_OPENGL_ES_API : GLFW_OPENGL_API)
        glfwWindowHint(
            GLFW_CONTEXT_CREATION_API,
            self == .native ? GLFW_NATIVE_CONTEXT_API : GLFW_EGL_CONTEXT_API)
        glfwWindowHint(
            GLFW_OPENGL_PROFILE, isES ? GLFW_OPENGL_ANY_PROFILE : GLFW_OPENGL_CORE_PROFILE)
        glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, isES ? GLFW_FALSE : GLFW_TRUE)
        // Drivers that cannot report a reset ignore this hint. GLFW requests it from EGL by an
        // attribute that `EGL_KHR_create_context` permits for desktop OpenGL only.
        glfwWindowHint(
            GLFW_CONTEXT_ROBUSTNESS, isES ? GLFW_NO_ROBUSTNESS : GLFW_LOSE_CONTEXT_ON_RESET)
    }
}
