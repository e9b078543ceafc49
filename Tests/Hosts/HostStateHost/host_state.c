/* SPDX-License-Identifier: Apache-2.0 */

#include "host_state.h"

#include <stdio.h>
#include <string.h>

struct gl_functions gl;

/* From the compatibility profile, whose header conflicts with that of the core profile. */
#define COMPAT_ALPHA_TEST 0x0BC0
#define COMPAT_POLYGON_STIPPLE 0x0B42
#define COMPAT_FOG 0x0B60
#define COMPAT_LIGHTING 0x0B50
#define COMPAT_MAP_COLOR 0x0D10
#define COMPAT_RED_SCALE 0x0D14
#define COMPAT_GREEN_BIAS 0x0D19
#define COMPAT_ALPHA_FUNC 0x0BC1
#define COMPAT_CLAMP_FRAGMENT_COLOR 0x891B
#define COMPAT_CLAMP_VERTEX_COLOR 0x891A
/* GL_KHR_blend_equation_advanced. */
#define MULTIPLY_KHR 0x9294

static int version, is_compat, is_es;
/* Optional functions: masks and blending for each draw buffer, and so on. */
static int has_indexed, has_indexed_blending, has_viewports, has_pipelines, has_clip_control;
static int has_sample_shading, has_fixed_restart, has_sample_mask, has_advanced_blending;
static int viewports = 1, draw_buffers = 8, units = 32;
static uint64_t state = 1;
static void (*pixel_transferf)(unsigned, float);
static void (*alpha_func)(unsigned, float);
static void (*clamp_color)(unsigned, unsigned);

enum { POOL = 6 };
static GLuint textures[POOL], volumes[POOL], samplers[POOL], buffers[POOL], arrays[POOL];
static GLuint framebuffers[POOL], programs[POOL], pipelines[POOL], renderbuffers[POOL];

void seed_random(uint64_t seed) { state = seed * 2 + 1; }

/* Xorshift, which is good enough for a test. */
unsigned random_below(unsigned limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 20) % limit);
}

static int flip(void) { return (int)random_below(2); }
static float real(void) { return (float)random_below(1000) / 1000; }
/* Returns an object of a pool, or 0. */
static GLuint pick(const GLuint *pool) {
    unsigned index = random_below(POOL + 1);
    return index == POOL ? 0 : pool[index];
}

/* The capabilities of OpenGL ES, by its extensions. */
static GLenum es_switches[16];
static size_t es_switch_count;

static int has_extension(const char *name) {
    return is_es && strstr((const char *)gl.GetString(GL_EXTENSIONS), name) != NULL;
}

static void find_out(void) {
    GLint number = 0, part = 0;
    gl.GetIntegerv(GL_MAJOR_VERSION, &number);
    gl.GetIntegerv(GL_MINOR_VERSION, &part);
    version = number * 10 + part;
    has_indexed = is_es ? version >= 32 : 1;
    has_indexed_blending = version >= (is_es ? 32 : 40);
    has_viewports = is_es ? has_extension("GL_OES_viewport_array") : version >= 41;
    has_pipelines = version >= (is_es ? 31 : 41);
    has_clip_control = is_es ? has_extension("GL_EXT_clip_control") : version >= 45;
    has_sample_shading = version >= (is_es ? 32 : 40);
    has_fixed_restart = version >= (is_es ? 30 : 43);
    has_sample_mask = version >= (is_es ? 31 : 32);
    has_advanced_blending = has_extension("GL_KHR_blend_equation_advanced");
    es_switch_count = 0;
    if (has_extension("GL_EXT_sRGB_write_control"))
        es_switches[es_switch_count++] = GL_FRAMEBUFFER_SRGB;
    if (has_extension("GL_EXT_clip_cull_distance")) {
        for (part = 0; part < 8; part++)
            es_switches[es_switch_count++] = GL_CLIP_DISTANCE0 + (GLenum)part;
    }
    if (has_viewports) gl.GetIntegerv(GL_MAX_VIEWPORTS, &viewports);
    if (has_indexed) gl.GetIntegerv(GL_MAX_DRAW_BUFFERS, &draw_buffers);
    else draw_buffers = 1;
}

int make_context(const char *profile, int major, int minor) {
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display;
    EGLConfig config;
    EGLContext context;
    EGLint count;
    EGLint attributes[7];
    EGLint wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    is_es = !strcmp(profile, "es");
    is_compat = !strcmp(profile, "compat");
    if (!get_display) return 0;
    display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL)) return 0;
    if (!eglBindAPI(is_es ? EGL_OPENGL_ES_API : EGL_OPENGL_API)) return 0;
    if (is_es) wanted[3] = EGL_OPENGL_ES3_BIT;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || count < 1) return 0;
    attributes[0] = EGL_CONTEXT_MAJOR_VERSION;
    attributes[1] = major;
    attributes[2] = EGL_CONTEXT_MINOR_VERSION;
    attributes[3] = minor;
    attributes[4] = is_es ? EGL_NONE : EGL_CONTEXT_OPENGL_PROFILE_MASK;
    attributes[5] = is_compat ? EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT
                              : EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT;
    attributes[6] = EGL_NONE;
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
    if (context == EGL_NO_CONTEXT) return 0;
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) return 0;
#define X(TYPE, NAME) gl.NAME = (PFNGL##TYPE##PROC)eglGetProcAddress("gl" #NAME);
    GL_FUNCTIONS(X)
#undef X
    pixel_transferf = (void (*)(unsigned, float))eglGetProcAddress("glPixelTransferf");
    alpha_func = (void (*)(unsigned, float))eglGetProcAddress("glAlphaFunc");
    clamp_color = (void (*)(unsigned, unsigned))eglGetProcAddress("glClampColor");
    find_out();
    while (gl.GetError() != GL_NO_ERROR) {}
    return 1;
}

static GLuint make_program(int index) {
    const char *vertex = is_es ? "#version 300 es\nvoid main() { gl_Position = vec4(0); }"
                               : "#version 330\nvoid main() { gl_Position = vec4(0); }";
    char text[200];
    const char *fragment = text;
    GLuint program = gl.CreateProgram();
    GLuint shader = gl.CreateShader(GL_VERTEX_SHADER);
    snprintf(
        text, sizeof text, "%s\nout vec4 color; void main() { color = vec4(%d.0); }",
        is_es ? "#version 300 es\nprecision mediump float;" : "#version 330", index);
    gl.ShaderSource(shader, 1, &vertex, NULL);
    gl.CompileShader(shader);
    gl.AttachShader(program, shader);
    shader = gl.CreateShader(GL_FRAGMENT_SHADER);
    gl.ShaderSource(shader, 1, &fragment, NULL);
    gl.CompileShader(shader);
    gl.AttachShader(program, shader);
    gl.LinkProgram(program);
    return program;
}

void make_objects(void) {
    int index;
    gl.GenTextures(POOL, textures);
    gl.GenTextures(POOL, volumes);
    gl.GenSamplers(POOL, samplers);
    gl.GenBuffers(POOL, buffers);
    gl.GenVertexArrays(POOL, arrays);
    gl.GenFramebuffers(POOL, framebuffers);
    gl.GenRenderbuffers(POOL, renderbuffers);
    if (has_pipelines) gl.GenProgramPipelines(POOL, pipelines);
    for (index = 0; index < POOL; index++) {
        gl.BindTexture(GL_TEXTURE_3D, volumes[index]);
        gl.BindTexture(GL_TEXTURE_2D, textures[index]);
        gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffers[index]);
        gl.FramebufferTexture2D(
            GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[index], 0);
        gl.BindBuffer(GL_ARRAY_BUFFER, buffers[index]);
        gl.BufferData(GL_ARRAY_BUFFER, 1 << 16, NULL, GL_STATIC_DRAW);
        gl.BindVertexArray(arrays[index]);
        gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[index]);
        gl.BindRenderbuffer(GL_RENDERBUFFER, renderbuffers[index]);
        if (has_pipelines) gl.BindProgramPipeline(pipelines[index]);
        programs[index] = make_program(index);
    }
    default_state();
}

void use_deleted_program(void) {
    GLuint program = make_program(0);
    gl.UseProgram(program);
    gl.DeleteProgram(program);
}

static const GLenum switches[] = {
    GL_DEPTH_TEST, GL_STENCIL_TEST, GL_CULL_FACE, GL_DITHER, GL_SAMPLE_ALPHA_TO_COVERAGE,
    GL_SAMPLE_COVERAGE, GL_POLYGON_OFFSET_FILL, GL_RASTERIZER_DISCARD,
};
static const GLenum desktop_switches[] = {
    GL_FRAMEBUFFER_SRGB, GL_COLOR_LOGIC_OP, GL_MULTISAMPLE, GL_SAMPLE_ALPHA_TO_ONE,
    GL_POLYGON_SMOOTH, GL_POLYGON_OFFSET_LINE, GL_POLYGON_OFFSET_POINT,
    GL_LINE_SMOOTH, GL_PROGRAM_POINT_SIZE, GL_PRIMITIVE_RESTART, GL_DEPTH_CLAMP,
    GL_TEXTURE_CUBE_MAP_SEAMLESS, GL_CLIP_DISTANCE0, GL_CLIP_DISTANCE1, GL_CLIP_DISTANCE2,
    GL_CLIP_DISTANCE3, GL_CLIP_DISTANCE4, GL_CLIP_DISTANCE5, GL_CLIP_DISTANCE6, GL_CLIP_DISTANCE7,
};
static const GLenum compat_switches[] = {
    COMPAT_ALPHA_TEST, COMPAT_POLYGON_STIPPLE, COMPAT_FOG, COMPAT_LIGHTING,
};
static const struct { GLenum name; int limit; } storage[] = {
    {GL_UNPACK_ROW_LENGTH, 100}, {GL_UNPACK_SKIP_ROWS, 9}, {GL_UNPACK_SKIP_PIXELS, 9},
    {GL_UNPACK_IMAGE_HEIGHT, 90}, {GL_UNPACK_SKIP_IMAGES, 5}, {GL_PACK_ROW_LENGTH, 100},
    {GL_PACK_SKIP_ROWS, 9}, {GL_PACK_SKIP_PIXELS, 9},
};
static const struct { GLenum name; int limit; } desktop_storage[] = {
    {GL_UNPACK_SWAP_BYTES, 2}, {GL_UNPACK_LSB_FIRST, 2}, {GL_PACK_SWAP_BYTES, 2},
    {GL_PACK_LSB_FIRST, 2}, {GL_PACK_IMAGE_HEIGHT, 90}, {GL_PACK_SKIP_IMAGES, 5},
};
#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof((ARRAY)[0]))

static void set_switch(GLenum name, int is_on) {
    if (is_on) gl.Enable(name);
    else gl.Disable(name);
}

static void randomize_blending(void) {
    static const GLenum factors[] = {
        GL_ZERO, GL_ONE, GL_SRC_COLOR, GL_ONE_MINUS_DST_ALPHA, GL_CONSTANT_COLOR, GL_DST_COLOR,
    };
    static const GLenum equations[] = {
        GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN, GL_MAX,
    };
#define FACTOR factors[random_below(COUNT(factors))]
#define EQUATION equations[random_below(COUNT(equations))]
    int index;
    gl.BlendColor(real(), real(), real(), real());
    gl.BlendFuncSeparate(FACTOR, FACTOR, FACTOR, FACTOR);
    gl.BlendEquationSeparate(EQUATION, EQUATION);
    gl.ColorMask((GLboolean)flip(), (GLboolean)flip(), (GLboolean)flip(), (GLboolean)flip());
    set_switch(GL_BLEND, flip());
    if (has_advanced_blending && random_below(4) == 0) {
        gl.BlendEquation(MULTIPLY_KHR);
        return;
    }
    if (!has_indexed) return;
    for (index = 0; index < draw_buffers; index++) {
        if (flip()) gl.Enablei(GL_BLEND, (GLuint)index);
        else gl.Disablei(GL_BLEND, (GLuint)index);
        gl.ColorMaski(
            (GLuint)index, (GLboolean)flip(), (GLboolean)flip(), (GLboolean)flip(),
            (GLboolean)flip());
        if (!has_indexed_blending) continue;
        gl.BlendFuncSeparatei((GLuint)index, FACTOR, FACTOR, FACTOR, FACTOR);
        gl.BlendEquationSeparatei((GLuint)index, EQUATION, EQUATION);
    }
}

static void randomize_bindings(void) {
    int unit;
    for (unit = 0; unit < units; unit++) {
        gl.ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
        gl.BindTexture(GL_TEXTURE_2D, pick(textures));
        gl.BindTexture(GL_TEXTURE_3D, pick(volumes));
        gl.BindSampler((GLuint)unit, pick(samplers));
    }
    gl.ActiveTexture(GL_TEXTURE0 + random_below((unsigned)units));
    gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, pick(framebuffers));
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, pick(framebuffers));
    gl.BindRenderbuffer(GL_RENDERBUFFER, pick(renderbuffers));
    gl.BindVertexArray(pick(arrays));
    gl.BindBuffer(GL_ARRAY_BUFFER, pick(buffers));
    gl.BindBuffer(GL_PIXEL_UNPACK_BUFFER, pick(buffers));
    gl.BindBuffer(GL_PIXEL_PACK_BUFFER, pick(buffers));
    gl.BindBufferBase(GL_UNIFORM_BUFFER, random_below(4), pick(buffers));
    gl.BindBuffer(GL_UNIFORM_BUFFER, pick(buffers));
    gl.BindBuffer(GL_COPY_READ_BUFFER, pick(buffers));
    gl.UseProgram(pick(programs));
    if (has_pipelines) gl.BindProgramPipeline(pick(pipelines));
}

void randomize_state(void) {
    static const GLenum modes[] = {GL_POINT, GL_LINE, GL_FILL};
    size_t index;
    for (index = 0; index < COUNT(switches); index++) set_switch(switches[index], flip());
    for (index = 0; index < COUNT(storage); index++)
        gl.PixelStorei(storage[index].name, (GLint)random_below((unsigned)storage[index].limit));
    gl.PixelStorei(GL_UNPACK_ALIGNMENT, 1 << random_below(4));
    gl.PixelStorei(GL_PACK_ALIGNMENT, 1 << random_below(4));
    gl.ClearColor(real(), real(), real(), real());
    gl.ClearStencil((GLint)random_below(256));
    gl.CullFace(flip() ? GL_FRONT : GL_FRONT_AND_BACK);
    gl.FrontFace(flip() ? GL_CW : GL_CCW);
    gl.DepthFunc(GL_NEVER + random_below(8));
    gl.DepthMask((GLboolean)flip());
    gl.StencilFuncSeparate(GL_FRONT, GL_NEVER + random_below(8), (GLint)random_below(9), 5);
    gl.StencilMaskSeparate(GL_BACK, random_below(256));
    gl.StencilOpSeparate(GL_FRONT, GL_KEEP, GL_REPLACE, GL_ZERO);
    gl.SampleCoverage(real(), (GLboolean)flip());
    gl.PolygonOffset(real(), real());
    gl.LineWidth(1);
    randomize_blending();
    randomize_bindings();
    gl.Viewport(
        (GLint)random_below(9), (GLint)random_below(9), (GLsizei)random_below(99),
        (GLsizei)random_below(99));
    gl.Scissor((GLint)random_below(9), 3, (GLsizei)random_below(9), 7);
    set_switch(GL_SCISSOR_TEST, flip());
    for (index = 0; index < es_switch_count; index++) set_switch(es_switches[index], flip());
    if (has_sample_mask) {
        set_switch(GL_SAMPLE_MASK, flip());
        gl.SampleMaski(0, random_below(65536));
    }
    if (has_sample_shading) set_switch(GL_SAMPLE_SHADING, flip());
    if (has_fixed_restart) set_switch(GL_PRIMITIVE_RESTART_FIXED_INDEX, flip());
    for (index = 0; has_viewports && index < (size_t)viewports; index++) {
        gl.ViewportIndexedf((GLuint)index, real(), real(), 50 * real(), 50 * real());
        gl.ScissorIndexed((GLuint)index, (GLint)random_below(9), 2, (GLsizei)random_below(40), 3);
        if (flip()) gl.Enablei(GL_SCISSOR_TEST, (GLuint)index);
        else gl.Disablei(GL_SCISSOR_TEST, (GLuint)index);
    }
    if (has_clip_control)
        gl.ClipControl(
            flip() ? GL_LOWER_LEFT : GL_UPPER_LEFT,
            flip() ? GL_NEGATIVE_ONE_TO_ONE : GL_ZERO_TO_ONE);
    if (is_es) return;
    for (index = 0; index < COUNT(desktop_switches); index++)
        set_switch(desktop_switches[index], flip());
    for (index = 0; index < COUNT(desktop_storage); index++)
        gl.PixelStorei(
            desktop_storage[index].name,
            (GLint)random_below((unsigned)desktop_storage[index].limit));
    gl.LogicOp(GL_CLEAR + random_below(16));
    gl.PointSize(1 + real());
    gl.ProvokingVertex(flip() ? GL_FIRST_VERTEX_CONVENTION : GL_LAST_VERTEX_CONVENTION);
    gl.PolygonMode(GL_FRONT_AND_BACK, modes[random_below(3)]);
    gl.DepthRange(real(), real());
    if (!is_compat) return;
    for (index = 0; index < COUNT(compat_switches); index++)
        set_switch(compat_switches[index], flip());
    alpha_func(GL_NEVER + random_below(8), real());
    gl.PolygonMode(GL_FRONT, modes[random_below(3)]);
    pixel_transferf(COMPAT_MAP_COLOR, (float)flip());
    pixel_transferf(COMPAT_RED_SCALE, real());
    pixel_transferf(COMPAT_GREEN_BIAS, real());
    clamp_color(COMPAT_CLAMP_FRAGMENT_COLOR, flip() ? GL_TRUE : GL_FIXED_ONLY);
    clamp_color(COMPAT_CLAMP_VERTEX_COLOR, (unsigned)flip());
}

/* Restores the defaults that reading pixels and drawing the first frames need. */
void default_state(void) {
    size_t index;
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl.BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    gl.BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    gl.BindVertexArray(0);
    for (index = 0; index < COUNT(storage); index++) gl.PixelStorei(storage[index].name, 0);
    gl.PixelStorei(GL_PACK_ALIGNMENT, 4);
    gl.PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    if (is_es) return;
    for (index = 0; index < COUNT(desktop_storage); index++)
        gl.PixelStorei(desktop_storage[index].name, 0);
    if (!is_compat) return;
    pixel_transferf(COMPAT_MAP_COLOR, 0);
    pixel_transferf(COMPAT_RED_SCALE, 1);
    pixel_transferf(COMPAT_GREEN_BIAS, 0);
}

/* --- Reading ------------------------------------------------------------------------------ */

static void add(struct snapshot *snapshot, GLenum name, int index, int64_t value) {
    if (snapshot->count == MAXIMUM_VALUES) return;
    snapshot->values[snapshot->count].name = name;
    snapshot->values[snapshot->count].index = index;
    snapshot->values[snapshot->count].value = value;
    snapshot->count++;
}

static void add_numbers(struct snapshot *snapshot, GLenum name, int count) {
    GLfloat values[16] = {0};
    int index;
    gl.GetFloatv(name, values);
    for (index = 0; index < count; index++)
        add(snapshot, name, index, (int64_t)((double)values[index] * 1e6));
}

static void add_integer(struct snapshot *snapshot, GLenum name) {
    GLint values[16] = {0};
    gl.GetIntegerv(name, values);
    add(snapshot, name, 0, values[0]);
}

static void take_plain(struct snapshot *snapshot) {
    static const GLenum names[] = {
        GL_DRAW_FRAMEBUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING, GL_RENDERBUFFER_BINDING,
        GL_CURRENT_PROGRAM, GL_VERTEX_ARRAY_BINDING, GL_ARRAY_BUFFER_BINDING,
        GL_ELEMENT_ARRAY_BUFFER_BINDING, GL_PIXEL_UNPACK_BUFFER_BINDING,
        GL_PIXEL_PACK_BUFFER_BINDING, GL_UNIFORM_BUFFER_BINDING, GL_COPY_READ_BUFFER_BINDING,
        GL_UNPACK_ALIGNMENT, GL_PACK_ALIGNMENT, GL_CULL_FACE_MODE, GL_FRONT_FACE, GL_DEPTH_FUNC,
        GL_DEPTH_WRITEMASK, GL_STENCIL_FUNC, GL_STENCIL_REF, GL_STENCIL_VALUE_MASK,
        GL_STENCIL_BACK_WRITEMASK, GL_STENCIL_WRITEMASK, GL_STENCIL_FAIL, GL_STENCIL_CLEAR_VALUE,
        GL_STENCIL_PASS_DEPTH_PASS, GL_SAMPLE_COVERAGE_INVERT,
    };
    static const GLenum desktop[] = {
        GL_LOGIC_OP_MODE, GL_PROVOKING_VERTEX,
    };
    size_t index;
    for (index = 0; index < COUNT(names); index++) add_integer(snapshot, names[index]);
    for (index = 0; index < COUNT(switches); index++)
        add(snapshot, switches[index], 0, gl.IsEnabled(switches[index]));
    for (index = 0; index < COUNT(storage); index++) add_integer(snapshot, storage[index].name);
    add_numbers(snapshot, GL_COLOR_CLEAR_VALUE, 4);
    add_numbers(snapshot, GL_BLEND_COLOR, 4);
    add_numbers(snapshot, GL_DEPTH_RANGE, 2);
    add_numbers(snapshot, GL_LINE_WIDTH, 1);
    add_numbers(snapshot, GL_SAMPLE_COVERAGE_VALUE, 1);
    add_numbers(snapshot, GL_POLYGON_OFFSET_FACTOR, 1);
    add_numbers(snapshot, GL_POLYGON_OFFSET_UNITS, 1);
    add_numbers(snapshot, GL_VIEWPORT, 4);
    add_numbers(snapshot, GL_SCISSOR_BOX, 4);
    add(snapshot, GL_SCISSOR_TEST, 0, gl.IsEnabled(GL_SCISSOR_TEST));
    for (index = 0; index < es_switch_count; index++)
        add(snapshot, es_switches[index], 0, gl.IsEnabled(es_switches[index]));
    if (has_sample_mask) add(snapshot, GL_SAMPLE_MASK, 0, gl.IsEnabled(GL_SAMPLE_MASK));
    if (has_sample_shading) add(snapshot, GL_SAMPLE_SHADING, 0, gl.IsEnabled(GL_SAMPLE_SHADING));
    if (has_pipelines) add_integer(snapshot, GL_PROGRAM_PIPELINE_BINDING);
    if (has_fixed_restart)
        add(snapshot, GL_PRIMITIVE_RESTART_FIXED_INDEX, 0,
            gl.IsEnabled(GL_PRIMITIVE_RESTART_FIXED_INDEX));
    if (has_clip_control) {
        add_integer(snapshot, GL_CLIP_ORIGIN);
        add_integer(snapshot, GL_CLIP_DEPTH_MODE);
    }
    if (is_es) return;
    for (index = 0; index < COUNT(desktop); index++) add_integer(snapshot, desktop[index]);
    for (index = 0; index < COUNT(desktop_switches); index++)
        add(snapshot, desktop_switches[index], 0, gl.IsEnabled(desktop_switches[index]));
    for (index = 0; index < COUNT(desktop_storage); index++)
        add_integer(snapshot, desktop_storage[index].name);
    add_numbers(snapshot, GL_POINT_SIZE, 1);
    add_numbers(snapshot, GL_POLYGON_MODE, is_compat ? 2 : 1);
    if (!is_compat) return;
    for (index = 0; index < COUNT(compat_switches); index++)
        add(snapshot, compat_switches[index], 0, gl.IsEnabled(compat_switches[index]));
    add_integer(snapshot, COMPAT_ALPHA_FUNC);
    add_integer(snapshot, COMPAT_MAP_COLOR);
    add_numbers(snapshot, COMPAT_RED_SCALE, 1);
    add_numbers(snapshot, COMPAT_GREEN_BIAS, 1);
    add_integer(snapshot, COMPAT_CLAMP_FRAGMENT_COLOR);
    add_integer(snapshot, COMPAT_CLAMP_VERTEX_COLOR);
}

static void take_indexed(struct snapshot *snapshot) {
    static const GLenum blends[] = {
        GL_BLEND_SRC_RGB, GL_BLEND_DST_RGB, GL_BLEND_SRC_ALPHA, GL_BLEND_DST_ALPHA,
        GL_BLEND_EQUATION_RGB, GL_BLEND_EQUATION_ALPHA,
    };
    int index, part;
    size_t blend;
    for (blend = 0; blend < COUNT(blends); blend++) add_integer(snapshot, blends[blend]);
    if (!has_indexed) {
        GLboolean mask[4] = {0};
        add(snapshot, GL_BLEND, 0, gl.IsEnabled(GL_BLEND));
        gl.GetBooleanv(GL_COLOR_WRITEMASK, mask);
        for (part = 0; part < 4; part++) add(snapshot, GL_COLOR_WRITEMASK, part, mask[part]);
    }
    for (index = 0; has_indexed && index < draw_buffers; index++) {
        GLboolean mask[4] = {0};
        add(snapshot, GL_BLEND, index, gl.IsEnabledi(GL_BLEND, (GLuint)index));
        gl.GetBooleani_v(GL_COLOR_WRITEMASK, (GLuint)index, mask);
        for (part = 0; part < 4; part++)
            add(snapshot, GL_COLOR_WRITEMASK, index * 4 + part, mask[part]);
        for (blend = 0; has_indexed_blending && blend < COUNT(blends); blend++) {
            GLint value = 0;
            gl.GetIntegeri_v(blends[blend], (GLuint)index, &value);
            add(snapshot, blends[blend], index, value);
        }
    }
    for (index = 0; has_viewports && index < viewports; index++) {
        GLfloat box[4] = {0};
        GLint cut[4] = {0};
        gl.GetFloati_v(GL_VIEWPORT, (GLuint)index, box);
        gl.GetIntegeri_v(GL_SCISSOR_BOX, (GLuint)index, cut);
        for (part = 0; part < 4; part++) {
            add(snapshot, GL_VIEWPORT, index, (int64_t)((double)box[part] * 1e6));
            add(snapshot, GL_SCISSOR_BOX, index, cut[part]);
        }
        add(snapshot, GL_SCISSOR_TEST, index, gl.IsEnabledi(GL_SCISSOR_TEST, (GLuint)index));
    }
    for (index = 0; index < 4; index++) {
        GLint buffer = 0;
        gl.GetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, (GLuint)index, &buffer);
        add(snapshot, GL_UNIFORM_BUFFER_BINDING, index, buffer);
    }
}

void take_snapshot(struct snapshot *snapshot) {
    static const GLenum bindings[] = {
        GL_TEXTURE_BINDING_2D, GL_TEXTURE_BINDING_3D, GL_TEXTURE_BINDING_CUBE_MAP,
        GL_TEXTURE_BINDING_2D_ARRAY, GL_SAMPLER_BINDING,
    };
    GLint active;
    int unit;
    size_t binding;
    snapshot->count = 0;
    take_plain(snapshot);
    take_indexed(snapshot);
    gl.GetIntegerv(GL_ACTIVE_TEXTURE, &active);
    add(snapshot, GL_ACTIVE_TEXTURE, 0, active);
    for (unit = 0; unit < units; unit++) {
        gl.ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
        for (binding = 0; binding < COUNT(bindings); binding++) {
            GLint value = 0;
            gl.GetIntegerv(bindings[binding], &value);
            add(snapshot, bindings[binding], unit, value);
        }
    }
    gl.ActiveTexture((GLenum)active);
}

int compare_snapshots(
    const struct snapshot *before, const struct snapshot *after, const char *call, int kind) {
    int index, differences = 0;
    for (index = 0; index < before->count; index++) {
        if (before->values[index].value == after->values[index].value) continue;
        differences++;
        fprintf(
            stderr, "%s %d: state 0x%04X [%d] was %lld and is %lld\n", call, kind,
            before->values[index].name, before->values[index].index,
            (long long)before->values[index].value, (long long)after->values[index].value);
    }
    return differences;
}
