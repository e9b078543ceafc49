#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a video from Python, with only the standard library's ctypes.

    host.py FILE [--effect NAME] [--headless --frames N -o OUT.png]

A window requires the package glfw (pip install glfw); without a window, EGL is required. The
library is loaded as libplayhead.so.1, or from the path in PLAYHEAD_LIBRARY.
"""

import argparse
import ctypes
import os
import struct
import sys
import zlib
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_float, c_int32, c_int64
from ctypes import c_uint32, c_void_p, sizeof

library = ctypes.CDLL(os.environ.get("PLAYHEAD_LIBRARY", "libplayhead.so.1"))
library.playhead_last_error.restype = c_char_p
library.playhead_status_name.restype = c_char_p


class Options(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("clock_mode", c_int32), ("audio_mode", c_int32),
        ("audio_rate", c_int32), ("audio_channels", c_int32), ("reserved", c_uint32),
        ("clock", c_void_p), ("clock_user", c_void_p),
    ]


class Color(Structure):
    _fields_ = [
        ("primaries", c_int32), ("transfer", c_int32), ("peak_luminance", c_float),
        ("matrix", c_int32),
    ]


class Target(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("framebuffer", c_uint32), ("framebuffer_width", c_int32),
        ("framebuffer_height", c_int32), ("x", c_int32), ("y", c_int32), ("width", c_int32),
        ("height", c_int32), ("fit", c_int32), ("flags", c_uint32), ("color", Color),
        ("bit_depth", c_int32), ("reserved", c_uint32), ("background", c_float * 4),
        ("host_time", c_int64),
    ]


class Event(Structure):
    _fields_ = [
        ("struct_size", c_uint32), ("type", c_int32), ("status", c_int32), ("reserved", c_uint32),
        ("time", c_int64), ("value", c_int64), ("text", c_char * 256),
    ]


OK = 0
EVENT_ERROR, EVENT_ENDED = 2, 8
CLOCK_OWN, CLOCK_TICK = 0, 1
SOUND_DEVICE, SOUND_NONE = 0, 2


def must(status):
    """Raises the library's error if a call has failed."""
    if status < 0:
        name = library.playhead_status_name(status).decode()
        raise RuntimeError(f"{name}: {library.playhead_last_error().decode()}")


class Player:
    """The few calls that a host needs; the context is current in all of them."""

    def __init__(self, clock, sound):
        options = Options(struct_size=sizeof(Options), clock_mode=clock, audio_mode=sound)
        self.handle = c_void_p()
        must(library.playhead_create(byref(options), byref(self.handle)))
        must(library.playhead_gl_init(self.handle, None))

    def open(self, film, effect=None):
        if effect:
            added = c_void_p()
            must(library.playhead_effect_add(self.handle, effect.encode(), byref(added)))
        must(library.playhead_open(self.handle, os.fsencode(film)))
        must(library.playhead_play(self.handle))

    def tick(self, nanoseconds):
        must(library.playhead_tick(self.handle, c_int64(nanoseconds)))

    def wait(self):
        must(library.playhead_wait_for_frame(self.handle, c_int64(30_000_000_000), None))

    def has_ended(self):
        """Returns whether the video has ended; exits with the error if it cannot be played."""
        event = Event(struct_size=sizeof(Event))
        has_ended = False
        while library.playhead_next_event(self.handle, byref(event)) == OK:
            if event.type == EVENT_ERROR:
                sys.exit(event.text.decode())
            has_ended = has_ended or event.type == EVENT_ENDED
        return has_ended

    def draw(self, framebuffer, width, height):
        target = Target(
            struct_size=sizeof(Target), framebuffer=framebuffer, framebuffer_width=width,
            framebuffer_height=height, background=(0, 0, 0, 1))
        must(library.playhead_render(self.handle, byref(target), None))

    def close(self):
        must(library.playhead_gl_deinit(self.handle))
        must(library.playhead_destroy(self.handle))


class Headless:
    """OpenGL 3.3 without a window, by EGL."""

    def __init__(self):
        egl = ctypes.CDLL("libEGL.so.1", mode=ctypes.RTLD_GLOBAL)
        egl.eglGetProcAddress.restype = c_void_p
        self.egl = egl
        get_display = self.function("eglGetPlatformDisplayEXT", c_void_p, c_uint32, c_void_p, c_void_p)
        display = c_void_p(get_display(0x31DD, None, None))  # EGL_PLATFORM_SURFACELESS_MESA
        count, config = c_int32(), c_void_p()
        egl.eglInitialize(display, None, None)
        egl.eglBindAPI(0x30A2)  # EGL_OPENGL_API
        wanted = (c_int32 * 5)(0x3033, 0, 0x3040, 0x0008, 0x3038)
        egl.eglChooseConfig(display, wanted, byref(config), 1, byref(count))
        egl.eglCreateContext.restype = c_void_p
        attributes = (c_int32 * 7)(0x3098, 3, 0x30FB, 3, 0x30FD, 1, 0x3038)
        context = c_void_p(egl.eglCreateContext(display, config, None, attributes))
        if not egl.eglMakeCurrent(display, None, None, context):
            sys.exit("no OpenGL without a window")

    def function(self, name, result, *arguments):
        address = self.egl.eglGetProcAddress(name.encode())
        return ctypes.CFUNCTYPE(result, *arguments)(address)

    def framebuffer(self, width, height):
        pixels, framebuffer = c_uint32(), c_uint32()
        names = POINTER(c_uint32)
        self.function("glGenRenderbuffers", None, c_int32, names)(1, byref(pixels))
        self.function("glBindRenderbuffer", None, c_uint32, c_uint32)(0x8D41, pixels)
        self.function("glRenderbufferStorage", None, c_uint32, c_uint32, c_int32, c_int32)(
            0x8D41, 0x8058, width, height)  # GL_RENDERBUFFER, GL_RGBA8
        self.function("glGenFramebuffers", None, c_int32, names)(1, byref(framebuffer))
        self.function("glBindFramebuffer", None, c_uint32, c_uint32)(0x8D40, framebuffer)
        self.function(
            "glFramebufferRenderbuffer", None, c_uint32, c_uint32, c_uint32, c_uint32)(
                0x8D40, 0x8CE0, 0x8D41, pixels)  # GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0
        return framebuffer.value

    def write(self, framebuffer, width, height, path):
        pixels = ctypes.create_string_buffer(width * height * 4)
        self.function("glBindFramebuffer", None, c_uint32, c_uint32)(0x8CA8, framebuffer)
        self.function(
            "glReadPixels", None, c_int32, c_int32, c_int32, c_int32, c_uint32, c_uint32, c_void_p)(
                0, 0, width, height, 0x1908, 0x1401, pixels)  # GL_RGBA, GL_UNSIGNED_BYTE
        rows = [pixels.raw[y * width * 4:(y + 1) * width * 4] for y in reversed(range(height))]
        data = zlib.compress(b"".join(b"\0" + row for row in rows))

        def chunk(name, body):
            checked = name + body
            return struct.pack(">I", len(body)) + checked + struct.pack(">I", zlib.crc32(checked))

        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
            file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)))
            file.write(chunk(b"IDAT", data) + chunk(b"IEND", b""))


def run_headless(film, effect, frames, output):
    headless = Headless()
    player = Player(CLOCK_TICK, SOUND_NONE)
    player.open(film, effect)
    framebuffer = headless.framebuffer(640, 360)
    for frame in range(frames):
        if frame > 0:
            player.tick(1_000_000_000 // 30)
        # A game draws the available frame; a program that writes files waits for every frame.
        player.wait()
        player.draw(framebuffer, 640, 360)
    headless.write(framebuffer, 640, 360, output)
    player.close()


def run_in_window(film, effect):
    import glfw

    if not glfw.init():
        sys.exit("no display")
    glfw.window_hint(glfw.CONTEXT_VERSION_MAJOR, 3)
    glfw.window_hint(glfw.CONTEXT_VERSION_MINOR, 3)
    glfw.window_hint(glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE)
    window = glfw.create_window(960, 540, film, None, None)
    if not window:
        sys.exit("no window with OpenGL 3.3")
    glfw.make_context_current(window)
    glfw.swap_interval(1)
    player = Player(CLOCK_OWN, SOUND_DEVICE)
    player.open(film, effect)
    while not glfw.window_should_close(window) and not player.has_ended():
        glfw.poll_events()
        if glfw.get_key(window, glfw.KEY_Q) == glfw.PRESS:
            break
        width, height = glfw.get_framebuffer_size(window)
        if width > 0 and height > 0:
            player.draw(0, width, height)
        glfw.swap_buffers(window)
    player.close()
    glfw.terminate()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("film", metavar="file")
    parser.add_argument("--effect")
    parser.add_argument("--headless", action="store_true")
    parser.add_argument("--frames", type=int, default=30)
    parser.add_argument("-o", dest="output", default="out.png")
    arguments = parser.parse_args()
    if arguments.headless:
        run_headless(arguments.film, arguments.effect, arguments.frames, arguments.output)
    else:
        run_in_window(arguments.film, arguments.effect)


if __name__ == "__main__":
    main()
