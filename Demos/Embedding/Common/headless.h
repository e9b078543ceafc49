/* SPDX-License-Identifier: Apache-2.0 */

/* Functions that the hosts in C and C++ share to run without a window: an OpenGL context, a
 * framebuffer, an image file. A host with a window needs none of them. */

#ifndef HEADLESS_H
#define HEADLESS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Makes an OpenGL 3.3 context without a window current; returns 0 on failure. */
int headless_make_context(void);

/* Makes an OpenGL ES 3.0 context without a window current; returns 0 on failure. */
int headless_make_es_context(void);

/* Makes a framebuffer of 8 bits a channel; returns its OpenGL name. */
unsigned headless_make_framebuffer(int width, int height);

/* Writes a framebuffer to a PNG file, with OpenGL's bottom row last; returns 0 on failure. */
int headless_write_png(unsigned framebuffer, int width, int height, const char *path);

#ifdef __cplusplus
}
#endif

#endif
