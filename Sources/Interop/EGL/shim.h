// SPDX-License-Identifier: Apache-2.0
// EGL through libepoxy. Swift does not see libepoxy's macros, and its function pointers are
// mutable globals, so every entry point used has an inline wrapper of the same name with `ph_`.
#pragma once
#if !__has_include(<epoxy/egl.h>)
#error "libepoxy is missing: apt install libepoxy-dev, or Scripts/install-dependencies"
#endif
#include <epoxy/egl.h>

static inline EGLDisplay ph_EGL_NO_DISPLAY(void) { return EGL_NO_DISPLAY; }
static inline EGLContext ph_EGL_NO_CONTEXT(void) { return EGL_NO_CONTEXT; }
static inline EGLSurface ph_EGL_NO_SURFACE(void) { return EGL_NO_SURFACE; }
static inline bool ph_epoxy_has_egl_extension(EGLDisplay display, const char *name) {
    return epoxy_has_egl_extension(display, name);
}
// This wrapper uses the EXT name because libepoxy aborts on eglGetPlatformDisplay before
// eglInitialize, when it cannot know yet that the display will support EGL 1.5.
static inline EGLDisplay ph_eglGetPlatformDisplayEXT(
    EGLenum platform, void *native, const EGLint *attributes) {
    return eglGetPlatformDisplayEXT(platform, native, attributes);
}
static inline EGLDisplay ph_eglGetDefaultDisplay(void) {
    return eglGetDisplay(EGL_DEFAULT_DISPLAY);
}
static inline EGLBoolean ph_eglInitialize(EGLDisplay display, EGLint *major, EGLint *minor) {
    return eglInitialize(display, major, minor);
}
static inline EGLint ph_eglGetError(void) { return eglGetError(); }
static inline EGLBoolean ph_eglBindAPI(EGLenum api) { return eglBindAPI(api); }
static inline EGLBoolean ph_eglChooseConfig(
    EGLDisplay display, const EGLint *attributes, EGLConfig *configs, EGLint capacity,
    EGLint *count) {
    return eglChooseConfig(display, attributes, configs, capacity, count);
}
static inline EGLContext ph_eglCreateContext(
    EGLDisplay display, EGLConfig config, EGLContext shared, const EGLint *attributes) {
    return eglCreateContext(display, config, shared, attributes);
}
static inline EGLBoolean ph_eglDestroyContext(EGLDisplay display, EGLContext context) {
    return eglDestroyContext(display, context);
}
static inline EGLSurface ph_eglCreatePbufferSurface(
    EGLDisplay display, EGLConfig config, const EGLint *attributes) {
    return eglCreatePbufferSurface(display, config, attributes);
}
static inline EGLBoolean ph_eglDestroySurface(EGLDisplay display, EGLSurface surface) {
    return eglDestroySurface(display, surface);
}
static inline _Bool ph_eglHasCurrentContext(void) {
    return eglGetCurrentContext() != EGL_NO_CONTEXT;
}
static inline EGLBoolean ph_eglReleaseThread(void) { return eglReleaseThread(); }
static inline EGLContext ph_eglGetCurrentContext(void) { return eglGetCurrentContext(); }
static inline EGLBoolean ph_eglMakeCurrent(
    EGLDisplay display, EGLSurface draw, EGLSurface read, EGLContext context) {
    return eglMakeCurrent(display, draw, read, context);
}
/* Not all compilers accept a cast from a function pointer to an object pointer. */
static inline const void *ph_eglGetProcAddress(const char *name) {
    union { void (*function)(void); const void *address; } symbol;
    symbol.function = eglGetProcAddress(name);
    return symbol.address;
}

// Devices, through EGL_EXT_device_enumeration, EGL_EXT_device_query and EGL_EXT_platform_device.
// The functions are looked up by address, because libepoxy looks for these extensions in the
// current display, which does not exist yet.
static inline EGLDisplay ph_eglGetDeviceDisplay(EGLDeviceEXT device) {
    return eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device, NULL);
}
static inline EGLBoolean ph_eglQueryDevicesEXT(
    EGLint capacity, EGLDeviceEXT *devices, EGLint *count) {
    PFNEGLQUERYDEVICESEXTPROC query =
        (PFNEGLQUERYDEVICESEXTPROC)(void *)eglGetProcAddress("eglQueryDevicesEXT");
    return query ? query(capacity, devices, count) : EGL_FALSE;
}
static inline const char *ph_eglDeviceExtensions(EGLDeviceEXT device) {
    PFNEGLQUERYDEVICESTRINGEXTPROC query =
        (PFNEGLQUERYDEVICESTRINGEXTPROC)(void *)eglGetProcAddress("eglQueryDeviceStringEXT");
    return query ? query(device, EGL_EXTENSIONS) : NULL;
}
// The device of an initialised display; NULL if it is unknown.
static inline EGLDeviceEXT ph_eglDeviceOfDisplay(EGLDisplay display) {
    PFNEGLQUERYDISPLAYATTRIBEXTPROC query =
        (PFNEGLQUERYDISPLAYATTRIBEXTPROC)(void *)eglGetProcAddress("eglQueryDisplayAttribEXT");
    EGLAttrib device = 0;
    return query && query(display, EGL_DEVICE_EXT, &device) ? (EGLDeviceEXT)device : NULL;
}

// The C++ ABI's functions for exit handlers (Itanium C++ ABI, 3.3.6.3), because `atexit` cannot
// remove a handler. The owner is an address that stands for the handler.
extern int __cxa_atexit(void (*function)(void *argument), void *argument, void *owner);
extern void __cxa_finalize(void *owner);
static inline int ph_add_exit_handler(void (*function)(void *argument), void *owner) {
    return __cxa_atexit(function, NULL, owner);
}
/* Calls the handler and removes it. */
static inline void ph_remove_exit_handler(void *owner) { __cxa_finalize(owner); }
