/* SPDX-License-Identifier: Apache-2.0 */

#include "headless.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LOAD(TYPE, NAME) TYPE NAME = (TYPE)eglGetProcAddress(#NAME)

static int make_context(EGLenum api, EGLint kind, const EGLint *attributes) {
    const EGLint wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, kind, EGL_NONE};
    LOAD(PFNEGLGETPLATFORMDISPLAYEXTPROC, eglGetPlatformDisplayEXT);
    EGLDisplay display;
    EGLConfig config;
    EGLContext context;
    EGLint count = 0;
    if (!eglGetPlatformDisplayEXT) return 0;
    display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(api)) return 0;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) return 0;
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
    if (context == EGL_NO_CONTEXT) return 0;
    return eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE;
}

int headless_make_context(void) {
    static const EGLint attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
        EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    return make_context(EGL_OPENGL_API, EGL_OPENGL_BIT, attributes);
}

int headless_make_es_context(void) {
    static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    return make_context(EGL_OPENGL_ES_API, EGL_OPENGL_ES3_BIT, attributes);
}

unsigned headless_make_framebuffer(int width, int height) {
    LOAD(PFNGLGENRENDERBUFFERSPROC, glGenRenderbuffers);
    LOAD(PFNGLBINDRENDERBUFFERPROC, glBindRenderbuffer);
    LOAD(PFNGLRENDERBUFFERSTORAGEPROC, glRenderbufferStorage);
    LOAD(PFNGLGENFRAMEBUFFERSPROC, glGenFramebuffers);
    LOAD(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer);
    LOAD(PFNGLFRAMEBUFFERRENDERBUFFERPROC, glFramebufferRenderbuffer);
    GLuint pixels, framebuffer;
    glGenRenderbuffers(1, &pixels);
    glBindRenderbuffer(GL_RENDERBUFFER, pixels);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferRenderbuffer(
        GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixels);
    return framebuffer;
}

/* --- A PNG file without compression: a library would be longer than the demo ------ */

static uint32_t crc(const unsigned char *bytes, size_t count, uint32_t value) {
    size_t index;
    int bit;
    for (index = 0; index < count; index++) {
        value ^= bytes[index];
        for (bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? 0xEDB88320u : 0);
    }
    return value;
}

static void put(unsigned char *bytes, uint32_t value) {
    bytes[0] = (unsigned char)(value >> 24);
    bytes[1] = (unsigned char)(value >> 16);
    bytes[2] = (unsigned char)(value >> 8);
    bytes[3] = (unsigned char)value;
}

static void write_chunk(FILE *file, const char *name, const unsigned char *data, size_t count) {
    unsigned char number[4];
    put(number, (uint32_t)count);
    fwrite(number, 1, 4, file);
    fwrite(name, 1, 4, file);
    fwrite(data, 1, count, file);
    put(number, ~crc(data, count, crc((const unsigned char *)name, 4, 0xFFFFFFFFu)));
    fwrite(number, 1, 4, file);
}

int headless_write_png(unsigned framebuffer, int width, int height, const char *path) {
    LOAD(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer);
    LOAD(PFNGLREADPIXELSPROC, glReadPixels);
    /* A stored block of zlib holds up to 65535 bytes; each row is one block. */
    size_t row = (size_t)width * 4 + 1, block = row + 5, size = 2 + block * (size_t)height + 4;
    unsigned char *pixels = malloc((size_t)width * 4 * (size_t)height);
    unsigned char *data = malloc(size), *out = data;
    unsigned char header[13] = {0};
    uint32_t a = 1, b = 0;
    size_t index;
    int y;
    FILE *file = fopen(path, "wb");
    if (!pixels || !data || !file || row > 65535) return 0;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    *out++ = 0x78;
    *out++ = 0x01;
    for (y = 0; y < height; y++) {
        const unsigned char *line = pixels + (size_t)(height - 1 - y) * (size_t)width * 4;
        *out++ = y == height - 1;
        *out++ = (unsigned char)row;
        *out++ = (unsigned char)(row >> 8);
        *out++ = (unsigned char)~row;
        *out++ = (unsigned char)(~row >> 8);
        out[0] = 0;
        for (index = 1; index < row; index++) out[index] = line[index - 1];
        /* The Adler checksum covers the rows, not the headers of their blocks. */
        for (index = 0; index < row; index++) {
            a = (a + out[index]) % 65521;
            b = (b + a) % 65521;
        }
        out += row;
    }
    put(out, b << 16 | a);
    put(header, (uint32_t)width);
    put(header + 4, (uint32_t)height);
    header[8] = 8;
    header[9] = 6;
    fwrite("\x89PNG\r\n\x1A\n", 1, 8, file);
    write_chunk(file, "IHDR", header, 13);
    write_chunk(file, "IDAT", data, size);
    write_chunk(file, "IEND", data, 0);
    free(pixels);
    free(data);
    return fclose(file) == 0;
}
