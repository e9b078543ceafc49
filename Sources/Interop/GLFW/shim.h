// SPDX-License-Identifier: Apache-2.0
#pragma once
#if !__has_include(<GLFW/glfw3.h>)
#error "GLFW is missing: apt install libglfw3-dev, or Scripts/install-dependencies"
#endif
#include <stdbool.h>
#include <stddef.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

// Declared as in GLFW/glfw3native.h, which would include all of Xlib. The symbol is weak, because a
// GLFW that is built only for Wayland lacks this function.
__attribute__((weak)) unsigned long glfwGetX11Window(GLFWwindow *window);

// Declared as in GLFW 3.4, which may replace an older one that the program was built with.
__attribute__((weak)) int glfwGetPlatform(void);
__attribute__((weak)) int glfwPlatformSupported(int platform);
__attribute__((weak)) struct wl_display *glfwGetWaylandDisplay(void);
__attribute__((weak)) struct wl_surface *glfwGetWaylandWindow(GLFWwindow *window);
__attribute__((weak)) struct wl_output *glfwGetWaylandMonitor(GLFWmonitor *monitor);
#define PH_GLFW_PLATFORM 0x00050003
#define PH_GLFW_PLATFORM_WAYLAND 0x00060003
#define PH_GLFW_PLATFORM_X11 0x00060004
#define PH_GLFW_WAYLAND_APP_ID 0x00026001
#define PH_GLFW_WAYLAND_LIBDECOR 0x00053001
#define PH_GLFW_WAYLAND_DISABLE_LIBDECOR 0x00038002

/// Returns whether windows are Wayland's. GLFW before 3.4 has only one window system; here that is
/// X11.
static inline bool ph_is_wayland(void) {
    return glfwGetPlatform && glfwGetPlatform() == PH_GLFW_PLATFORM_WAYLAND;
}

/// Returns whether the program can choose between window systems.
static inline bool ph_has_platforms(void) { return glfwGetPlatform != NULL; }

/// Returns whether GLFW was built with a window system.
static inline bool ph_has_platform(int platform) {
    if (!glfwPlatformSupported) return platform == PH_GLFW_PLATFORM_X11;
    return glfwPlatformSupported(platform);
}

/// Return Wayland's objects; NULL with another window system.
static inline void *ph_wayland_display(void) {
    return glfwGetWaylandDisplay ? glfwGetWaylandDisplay() : NULL;
}
static inline void *ph_wayland_surface(GLFWwindow *window) {
    return glfwGetWaylandWindow ? glfwGetWaylandWindow(window) : NULL;
}
static inline void *ph_wayland_output(GLFWmonitor *monitor) {
    return glfwGetWaylandMonitor ? glfwGetWaylandMonitor(monitor) : NULL;
}

/// Returns the X11 window, or 0 with another window system.
static inline unsigned long ph_x11_window(GLFWwindow *window) {
    return glfwGetX11Window ? glfwGetX11Window(window) : 0;
}
