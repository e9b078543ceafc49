/* SPDX-License-Identifier: Apache-2.0 */

/* What the hosts in C and C++ share when they run without a window: an OpenGL context, a framebuffer,
 * a picture as a file. A host with a window needs none of it. */

#ifndef HEADLESS_H
#define HEADLESS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Makes an OpenGL 3.3 context without a window current; returns 0 on failure. */
int headless_make_context(void);

/* The same of OpenGL ES 3.0. */
int headless_make_es_context(void);

/* Makes a framebuffer of 8 bits a channel; gives OpenGL's name of it. */
unsigned headless_make_framebuffer(int width, int height);

/* Writes a framebuffer as a PNG file, the row that OpenGL calls the bottom one last; 0 if it cannot
 * be written. */
int headless_write_png(unsigned framebuffer, int width, int height, const char *path);

#ifdef __cplusplus
}
#endif

#endif
