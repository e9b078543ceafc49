/* SPDX-License-Identifier: Apache-2.0 */

/* OpenGL in a host: a context of any profile, with functions loaded one by one, and its state, set at
 * random and read back. */

#ifndef HOST_STATE_H
#define HOST_STATE_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>
#include <stdint.h>

#include "playhead.h"

/* Functions by name, with their types from glcorearb.h. */
#define GL_FUNCTIONS(X) \
    X(ACTIVETEXTURE, ActiveTexture) X(ATTACHSHADER, AttachShader) X(BINDBUFFER, BindBuffer) \
    X(BINDBUFFERBASE, BindBufferBase) X(BINDFRAMEBUFFER, BindFramebuffer) \
    X(BINDPROGRAMPIPELINE, BindProgramPipeline) X(BINDRENDERBUFFER, BindRenderbuffer) \
    X(BINDSAMPLER, BindSampler) X(BINDTEXTURE, BindTexture) X(BINDVERTEXARRAY, BindVertexArray) \
    X(BLENDCOLOR, BlendColor) X(BLENDEQUATION, BlendEquation) X(BLENDEQUATIONSEPARATE, BlendEquationSeparate) \
    X(BLENDEQUATIONSEPARATEI, BlendEquationSeparatei) \
    X(BLENDFUNCSEPARATE, BlendFuncSeparate) X(BLENDFUNCSEPARATEI, BlendFuncSeparatei) \
    X(BUFFERDATA, BufferData) X(CLEARCOLOR, ClearColor) X(CLEARDEPTH, ClearDepth) \
    X(CLEARSTENCIL, ClearStencil) X(CLIPCONTROL, ClipControl) X(COLORMASK, ColorMask) \
    X(COLORMASKI, ColorMaski) \
    X(COMPILESHADER, CompileShader) X(CREATEPROGRAM, CreateProgram) \
    X(CREATESHADER, CreateShader) X(CULLFACE, CullFace) X(DELETEPROGRAM, DeleteProgram) \
    X(DEPTHFUNC, DepthFunc) \
    X(DEPTHMASK, DepthMask) X(DEPTHRANGE, DepthRange) X(DISABLE, Disable) \
    X(DISABLEI, Disablei) X(DRAWBUFFER, DrawBuffer) X(ENABLE, Enable) X(ENABLEI, Enablei) \
    X(FRAMEBUFFERTEXTURE2D, FramebufferTexture2D) X(FRONTFACE, FrontFace) \
    X(GENBUFFERS, GenBuffers) X(GENFRAMEBUFFERS, GenFramebuffers) \
    X(GENPROGRAMPIPELINES, GenProgramPipelines) X(GENRENDERBUFFERS, GenRenderbuffers) \
    X(GENSAMPLERS, GenSamplers) X(GENTEXTURES, GenTextures) \
    X(GENVERTEXARRAYS, GenVertexArrays) X(GETBOOLEANI_V, GetBooleani_v) \
    X(GETBOOLEANV, GetBooleanv) X(GETERROR, GetError) \
    X(GETFLOATI_V, GetFloati_v) X(GETFLOATV, GetFloatv) X(GETINTEGERI_V, GetIntegeri_v) \
    X(GETINTEGERV, GetIntegerv) X(GETSTRING, GetString) X(HINT, Hint) \
    X(ISTEXTURE, IsTexture) X(ISENABLED, IsEnabled) X(ISENABLEDI, IsEnabledi) X(LINEWIDTH, LineWidth) \
    X(LINKPROGRAM, LinkProgram) X(LOGICOP, LogicOp) X(PIXELSTOREI, PixelStorei) \
    X(POINTSIZE, PointSize) X(POLYGONMODE, PolygonMode) X(POLYGONOFFSET, PolygonOffset) \
    X(PROVOKINGVERTEX, ProvokingVertex) X(READBUFFER, ReadBuffer) X(READPIXELS, ReadPixels) \
    X(SAMPLECOVERAGE, SampleCoverage) X(SAMPLEMASKI, SampleMaski) \
    X(SCISSORINDEXED, ScissorIndexed) X(SCISSOR, Scissor) X(SHADERSOURCE, ShaderSource) \
    X(STENCILFUNCSEPARATE, StencilFuncSeparate) X(STENCILMASKSEPARATE, StencilMaskSeparate) \
    X(STENCILOPSEPARATE, StencilOpSeparate) X(TEXIMAGE2D, TexImage2D) \
    X(USEPROGRAM, UseProgram) X(VIEWPORT, Viewport) X(VIEWPORTINDEXEDF, ViewportIndexedf)

struct gl_functions {
#define X(TYPE, NAME) PFNGL##TYPE##PROC NAME;
    GL_FUNCTIONS(X)
#undef X
};

extern struct gl_functions gl;

#define MAXIMUM_VALUES 1200

/* All state that can be queried, with the source of each value. */
struct snapshot {
    int count;
    struct {
        unsigned name;
        int index;
        int64_t value;
    } values[MAXIMUM_VALUES];
};

/* Makes a context of "core", "compat" or "es" current, without a surface; returns 0 on failure. */
int make_context(const char *profile, int major, int minor);

/* Creates objects for random state to bind. */
void make_objects(void);

/* Leaves a program current that is deleted once it is not current. */
void use_deleted_program(void);

void randomize_state(void);
void default_state(void);
void take_snapshot(struct snapshot *snapshot);

/* Prints the differences, and returns their number. */
int compare_snapshots(
    const struct snapshot *before, const struct snapshot *after, const char *call, int kind);

/* Writes the frames of a video, and of each built-in effect on it; returns the exit status. */
int write_pictures(const char *film, const char *path, int with_effects);

void seed_random(uint64_t seed);
unsigned random_below(unsigned limit);

#endif
