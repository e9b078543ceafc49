// SPDX-License-Identifier: Apache-2.0
#pragma once
#if !__has_include(<GLFW/glfw3.h>)
#error "GLFW is missing: apt install libglfw3-dev, or Scripts/install-dependencies"
#endif
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

// Declared as in GLFW/glfw3native.h, which would include all of Xlib. The symbol is weak, because a
// GLFW that is built only for Wayland lacks this function.
__attribute__((weak)) unsigned long glfwGetX11Window(GLFWwindow *window);

/// Returns the X11 window, or 0 with another window system.
static inline unsigned long ph_x11_window(GLFWwindow *window) {
    return glfwGetX11Window ? glfwGetX11Window(window) : 0;
}
