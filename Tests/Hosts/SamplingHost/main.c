/* SPDX-License-Identifier: Apache-2.0 */

/* A host that uploads the planes of a frame itself, and samples them in a shader of its own with
 * playhead_sample: the result must equal the frame that playhead_render draws.
 *
 *     SamplingHost FILE
 *
 * Prints the pixel format and the largest difference, of 255; exits with 1 if it is more than 1, with
 * 77 without OpenGL. */

#include <EGL/egl.h>
#include <GL/glcorearb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "headless.h"
#include "playhead.h"

#define LOAD(TYPE, NAME) TYPE NAME = (TYPE)eglGetProcAddress(#NAME)

static void must(playhead_status status, const char *call) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", call, playhead_last_error());
    exit(1);
}

static GLuint compile(GLenum kind, const char *first, const char *second, const char *third) {
    LOAD(PFNGLCREATESHADERPROC, glCreateShader);
    LOAD(PFNGLSHADERSOURCEPROC, glShaderSource);
    LOAD(PFNGLCOMPILESHADERPROC, glCompileShader);
    LOAD(PFNGLGETSHADERIVPROC, glGetShaderiv);
    LOAD(PFNGLGETSHADERINFOLOGPROC, glGetShaderInfoLog);
    const char *texts[3] = {first, second, third};
    GLuint shader = glCreateShader(kind);
    GLint is_compiled = 0;
    glShaderSource(shader, 3, texts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &is_compiled);
    if (!is_compiled) {
        char log[2000];
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        fprintf(stderr, "%s\n", log);
        exit(1);
    }
    return shader;
}

/* Returns a program that draws the stored frame over the whole framebuffer. */
static GLuint make_program(void) {
    LOAD(PFNGLCREATEPROGRAMPROC, glCreateProgram);
    LOAD(PFNGLATTACHSHADERPROC, glAttachShader);
    LOAD(PFNGLLINKPROGRAMPROC, glLinkProgram);
    LOAD(PFNGLUSEPROGRAMPROC, glUseProgram);
    GLuint program = glCreateProgram();
    glAttachShader(
        program, compile(
                     GL_VERTEX_SHADER, "#version 330 core\nout vec2 place;\n",
                     "void main() { place = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;\n",
                     "gl_Position = vec4(place * vec2(2, -2) + vec2(-1, 1), 0, 1); }\n"));
    glAttachShader(
        program, compile(
                     GL_FRAGMENT_SHADER, "#version 330 core\nin vec2 place;\nout vec4 color;\n",
                     playhead_sampling_source(),
                     "void main() { color = playhead_sample(place); }\n"));
    glLinkProgram(program);
    glUseProgram(program);
    return program;
}

static void upload(const playhead_frame *frame, const playhead_sampling *sampling) {
    LOAD(PFNGLGENTEXTURESPROC, glGenTextures);
    LOAD(PFNGLACTIVETEXTUREPROC, glActiveTexture);
    LOAD(PFNGLBINDTEXTUREPROC, glBindTexture);
    LOAD(PFNGLTEXPARAMETERIPROC, glTexParameteri);
    LOAD(PFNGLTEXPARAMETERIVPROC, glTexParameteriv);
    LOAD(PFNGLPIXELSTOREIPROC, glPixelStorei);
    LOAD(PFNGLTEXIMAGE2DPROC, glTexImage2D);
    uint32_t index;
    for (index = 0; index < sampling->view_count; index++) {
        const playhead_view *view = &sampling->views[index];
        const playhead_plane *plane = &frame->planes[view->plane];
        GLuint texture;
        glGenTextures(1, &texture);
        glActiveTexture(GL_TEXTURE0 + index);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
        glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, view->swizzle);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glPixelStorei(
            GL_UNPACK_ROW_LENGTH, (GLint)(plane->bytes_per_row / view->bytes_per_texel));
        glTexImage2D(
            GL_TEXTURE_2D, 0, (GLint)view->internal_format, view->width, view->height, 0,
            view->format, view->type, plane->data);
    }
}

static void set_uniforms(GLuint program, const playhead_sampling *sampling) {
    LOAD(PFNGLGETUNIFORMLOCATIONPROC, glGetUniformLocation);
    LOAD(PFNGLUNIFORM1IPROC, glUniform1i);
    LOAD(PFNGLUNIFORM3FVPROC, glUniform3fv);
    LOAD(PFNGLUNIFORM4FVPROC, glUniform4fv);
    LOAD(PFNGLUNIFORMMATRIX3FVPROC, glUniformMatrix3fv);
#define AT(NAME) glGetUniformLocation(program, NAME)
    glUniform1i(AT("playhead_view0"), 0);
    glUniform1i(AT("playhead_view1"), 1);
    glUniform1i(AT("playhead_view2"), 2);
    glUniform1i(AT("playhead_view3"), 3);
    glUniform1i(AT("playhead_color_views"), sampling->color_view_count);
    glUniform1i(AT("playhead_has_alpha"), sampling->has_alpha_view);
    glUniformMatrix3fv(AT("playhead_matrix"), 1, GL_FALSE, sampling->matrix);
    glUniform3fv(AT("playhead_offset"), 1, sampling->offset);
    glUniform4fv(AT("playhead_chroma"), 1, sampling->chroma);
}

static unsigned char *read_pixels(unsigned framebuffer, int width, int height) {
    LOAD(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer);
    LOAD(PFNGLREADPIXELSPROC, glReadPixels);
    unsigned char *pixels = malloc((size_t)width * (size_t)height * 4);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    return pixels;
}

static void draw_by_host(const playhead_frame *frame, unsigned framebuffer) {
    LOAD(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer);
    LOAD(PFNGLGENVERTEXARRAYSPROC, glGenVertexArrays);
    LOAD(PFNGLBINDVERTEXARRAYPROC, glBindVertexArray);
    LOAD(PFNGLVIEWPORTPROC, glViewport);
    LOAD(PFNGLDRAWARRAYSPROC, glDrawArrays);
    GLuint vertices;
    glGenVertexArrays(1, &vertices);
    glBindVertexArray(vertices);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, frame->width, frame->height);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

int main(int count, char **arguments) {
    playhead_options options = {0};
    playhead_player *player = NULL;
    playhead_frame frame = {0};
    playhead_sampling sampling = {0};
    playhead_target target = {0};
    unsigned char *ours, *theirs;
    int largest = 0;
    size_t index;
    if (count != 2) return 2;
    if (!headless_make_context()) return 77;
    options.struct_size = sizeof options;
    options.clock_mode = PLAYHEAD_CLOCK_TICK;
    options.audio_mode = PLAYHEAD_AUDIO_NONE;
    must(playhead_create(&options, &player), "create");
    must(playhead_gl_init(player, NULL), "gl_init");
    must(playhead_open(player, arguments[1]), "open");
    must(playhead_wait_for_frame(player, 60000000000, NULL), "wait_for_frame");

    frame.struct_size = sizeof frame;
    must(playhead_map_frame(player, 0, &frame), "map_frame");
    sampling.struct_size = sizeof sampling;
    must(playhead_get_sampling(player, frame.lease, &sampling), "get_sampling");
    target.struct_size = sizeof target;
    target.framebuffer = headless_make_framebuffer(frame.width, frame.height);
    target.framebuffer_width = frame.width;
    target.framebuffer_height = frame.height;
    must(playhead_render(player, &target, NULL), "render");
    theirs = read_pixels(target.framebuffer, frame.width, frame.height);

    target.framebuffer = headless_make_framebuffer(frame.width, frame.height);
    upload(&frame, &sampling);
    set_uniforms(make_program(), &sampling);
    draw_by_host(&frame, target.framebuffer);
    ours = read_pixels(target.framebuffer, frame.width, frame.height);
    must(playhead_unmap_frame(player, frame.lease), "unmap_frame");
    if (playhead_get_sampling(player, frame.lease, &sampling) != PLAYHEAD_INVALID_ARGUMENT) {
        fprintf(stderr, "a returned frame is still reported\n");
        return 1;
    }
    for (index = 0; index < (size_t)frame.width * (size_t)frame.height * 4; index++) {
        int difference = abs(ours[index] - theirs[index]);
        if (difference > largest) largest = difference;
    }
    printf("%s: at most %d of 255\n", frame.format, largest);
    free(ours);
    free(theirs);
    must(playhead_gl_deinit(player), "gl_deinit");
    must(playhead_destroy(player), "destroy");
    return largest > 1;
}
