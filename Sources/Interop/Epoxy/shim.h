// SPDX-License-Identifier: Apache-2.0
// OpenGL through libepoxy. Swift does not see libepoxy's macros, and its function pointers are
// mutable globals, so every entry point used has an inline wrapper of the same name with `ph_`. The
// list is all of OpenGL that Playhead uses: 3.3 core, and the extensions it probes for. OpenGL ES
// in a host has these functions under the same names or with the suffix of an extension; libepoxy
// looks for both.
#pragma once
#if !__has_include(<epoxy/gl.h>)
#error "libepoxy is missing: apt install libepoxy-dev, or Scripts/install-dependencies"
#endif
#include <epoxy/gl.h>

// Context
static inline int ph_epoxy_gl_version(void) { return epoxy_gl_version(); }
static inline bool ph_epoxy_is_desktop_gl(void) { return epoxy_is_desktop_gl(); }
static inline bool ph_epoxy_has_gl_extension(const char *name) {
    return epoxy_has_gl_extension(name);
}
static inline const GLubyte *ph_glGetString(GLenum name) { return glGetString(name); }
static inline void ph_glGetIntegerv(GLenum name, GLint *value) { glGetIntegerv(name, value); }
static inline GLenum ph_glGetError(void) { return glGetError(); }
static inline void ph_glFlush(void) { glFlush(); }
static inline void ph_glFinish(void) { glFinish(); }
static inline GLenum ph_glGetGraphicsResetStatus(void) { return glGetGraphicsResetStatus(); }
static inline void ph_glDebugMessageCallback(GLDEBUGPROC callback, const void *context) {
    glDebugMessageCallback(callback, context);
}
static inline void ph_glDebugMessageControl(
    GLenum source, GLenum type, GLenum severity, GLboolean enabled) {
    glDebugMessageControl(source, type, severity, 0, NULL, enabled);
}
static inline void ph_glObjectLabel(GLenum kind, GLuint name, GLsizei length, const char *label) {
    glObjectLabel(kind, name, length, label);
}
static inline void ph_glGetObjectLabel(
    GLenum kind, GLuint name, GLsizei capacity, GLsizei *length, char *label) {
    glGetObjectLabel(kind, name, capacity, length, label);
}

// State
static inline void ph_glEnable(GLenum capability) { glEnable(capability); }
static inline void ph_glDisable(GLenum capability) { glDisable(capability); }
static inline void ph_glBlendEquation(GLenum mode) { glBlendEquation(mode); }
static inline void ph_glBlendFunc(GLenum source, GLenum destination) {
    glBlendFunc(source, destination);
}
static inline void ph_glBlendFuncSeparate(GLenum s, GLenum d, GLenum sa, GLenum da) {
    glBlendFuncSeparate(s, d, sa, da);
}
static inline void ph_glViewport(GLint x, GLint y, GLsizei w, GLsizei h) { glViewport(x, y, w, h); }
static inline void ph_glScissor(GLint x, GLint y, GLsizei w, GLsizei h) { glScissor(x, y, w, h); }
static inline void ph_glClearColor(GLfloat r, GLfloat g, GLfloat b, GLfloat a) {
    glClearColor(r, g, b, a);
}
static inline void ph_glClear(GLbitfield mask) { glClear(mask); }
static inline void ph_glPixelStorei(GLenum name, GLint value) { glPixelStorei(name, value); }

// Textures and samplers
static inline void ph_glGenTextures(GLsizei n, GLuint *names) { glGenTextures(n, names); }
static inline void ph_glDeleteTextures(GLsizei n, const GLuint *names) {
    glDeleteTextures(n, names);
}
static inline void ph_glBindTexture(GLenum target, GLuint name) { glBindTexture(target, name); }
static inline void ph_glActiveTexture(GLenum unit) { glActiveTexture(unit); }
static inline void ph_glTexParameteri(GLenum target, GLenum name, GLint value) {
    glTexParameteri(target, name, value);
}
static inline void ph_glTexParameteriv(GLenum target, GLenum name, const GLint *value) {
    glTexParameteriv(target, name, value);
}
static inline void ph_glTexImage2D(
    GLenum target, GLint level, GLint internalFormat, GLsizei w, GLsizei h, GLenum format,
    GLenum type,
    const void *pixels) {
    glTexImage2D(target, level, internalFormat, w, h, 0, format, type, pixels);
}
static inline void ph_glTexStorage2D(
    GLenum target, GLsizei levels, GLenum internalFormat, GLsizei w, GLsizei h) {
    glTexStorage2D(target, levels, internalFormat, w, h);
}
static inline void ph_glTexStorage3D(
    GLenum target, GLsizei levels, GLenum internalFormat, GLsizei w, GLsizei h, GLsizei d) {
    glTexStorage3D(target, levels, internalFormat, w, h, d);
}
static inline void ph_glTexSubImage3D(
    GLenum target, GLint level, GLint x, GLint y, GLint z, GLsizei w, GLsizei h, GLsizei d,
    GLenum format, GLenum type, const void *pixels) {
    glTexSubImage3D(target, level, x, y, z, w, h, d, format, type, pixels);
}
static inline void ph_glTexSubImage2D(
    GLenum target, GLint level, GLint x, GLint y, GLsizei w, GLsizei h, GLenum format, GLenum type,
    const void *pixels) { glTexSubImage2D(target, level, x, y, w, h, format, type, pixels); }
static inline void ph_glTexImage1D(
    GLenum target, GLint level, GLint internalFormat, GLsizei w, GLenum format, GLenum type,
    const void *pixels) { glTexImage1D(target, level, internalFormat, w, 0, format, type, pixels); }
static inline void ph_glTexImage3D(
    GLenum target, GLint level, GLint internalFormat, GLsizei w, GLsizei h, GLsizei d,
    GLenum format, GLenum type, const void *pixels) {
    glTexImage3D(target, level, internalFormat, w, h, d, 0, format, type, pixels);
}
static inline void ph_glCopyTexImage2D(
    GLenum target, GLint level, GLenum internalFormat, GLint x, GLint y, GLsizei w, GLsizei h) {
    glCopyTexImage2D(target, level, internalFormat, x, y, w, h, 0);
}
static inline void ph_glGenerateMipmap(GLenum target) { glGenerateMipmap(target); }
static inline void ph_glBindImageTexture(GLuint unit, GLuint name, GLenum access, GLenum format) {
    glBindImageTexture(unit, name, 0, GL_TRUE, 0, access, format);
}
static inline void ph_glDispatchCompute(GLuint x, GLuint y, GLuint z) {
    glDispatchCompute(x, y, z);
}
static inline void ph_glMemoryBarrier(GLbitfield barriers) { glMemoryBarrier(barriers); }
static inline void ph_glGenSamplers(GLsizei n, GLuint *names) { glGenSamplers(n, names); }
static inline void ph_glDeleteSamplers(GLsizei n, const GLuint *names) {
    glDeleteSamplers(n, names);
}
static inline void ph_glBindSampler(GLuint unit, GLuint name) { glBindSampler(unit, name); }
static inline void ph_glSamplerParameteri(GLuint name, GLenum parameter, GLint value) {
    glSamplerParameteri(name, parameter, value);
}

// Buffers and vertex arrays
static inline void ph_glGenBuffers(GLsizei n, GLuint *names) { glGenBuffers(n, names); }
static inline void ph_glDeleteBuffers(GLsizei n, const GLuint *names) { glDeleteBuffers(n, names); }
static inline void ph_glBindBuffer(GLenum target, GLuint name) { glBindBuffer(target, name); }
static inline void ph_glBufferData(GLenum target, GLsizeiptr size, const void *data, GLenum usage) {
    glBufferData(target, size, data, usage);
}
static inline void ph_glBufferStorage(GLenum target, GLsizeiptr size, GLbitfield flags) {
    glBufferStorage(target, size, NULL, flags);
}
static inline void *ph_glMapBufferRange(
    GLenum target, GLintptr offset, GLsizeiptr size, GLbitfield access) {
    return glMapBufferRange(target, offset, size, access);
}
static inline GLboolean ph_glUnmapBuffer(GLenum target) { return glUnmapBuffer(target); }
static inline void *ph_glFenceSync(void) {
    return (void *)glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}
static inline GLenum ph_glClientWaitSync(void *fence, GLuint64 nanoseconds) {
    return glClientWaitSync((GLsync)fence, 0, nanoseconds);
}
static inline void ph_glWaitSync(void *fence) { glWaitSync((GLsync)fence, 0, GL_TIMEOUT_IGNORED); }
static inline GLboolean ph_glIsSync(void *fence) { return glIsSync((GLsync)fence); }
static inline void ph_glDeleteSync(void *fence) { glDeleteSync((GLsync)fence); }
static inline void ph_glGenVertexArrays(GLsizei n, GLuint *names) { glGenVertexArrays(n, names); }
static inline void ph_glDeleteVertexArrays(GLsizei n, const GLuint *names) {
    glDeleteVertexArrays(n, names);
}
static inline void ph_glBindVertexArray(GLuint name) { glBindVertexArray(name); }
static inline void ph_glEnableVertexAttribArray(GLuint index) { glEnableVertexAttribArray(index); }
static inline void ph_glVertexAttribPointer(
    GLuint index, GLint size, GLenum type, GLboolean normalized, GLsizei stride, GLintptr offset) {
    glVertexAttribPointer(index, size, type, normalized, stride, (const void *)offset);
}
static inline void ph_glVertexAttribDivisor(GLuint index, GLuint divisor) {
    glVertexAttribDivisor(index, divisor);
}
static inline void ph_glDrawArrays(GLenum mode, GLint first, GLsizei count) {
    glDrawArrays(mode, first, count);
}
static inline void ph_glDrawArraysInstanced(GLenum mode, GLint first, GLsizei count, GLsizei n) {
    glDrawArraysInstanced(mode, first, count, n);
}

// Framebuffers
static inline void ph_glGenFramebuffers(GLsizei n, GLuint *names) { glGenFramebuffers(n, names); }
static inline void ph_glDeleteFramebuffers(GLsizei n, const GLuint *names) {
    glDeleteFramebuffers(n, names);
}
static inline void ph_glBindFramebuffer(GLenum target, GLuint name) {
    glBindFramebuffer(target, name);
}
static inline void ph_glFramebufferTexture2D(
    GLenum target, GLenum attachment, GLenum textureTarget, GLuint texture, GLint level) {
    glFramebufferTexture2D(target, attachment, textureTarget, texture, level);
}
static inline GLenum ph_glCheckFramebufferStatus(GLenum target) {
    return glCheckFramebufferStatus(target);
}
static inline GLboolean ph_glIsFramebuffer(GLuint framebuffer) {
    return glIsFramebuffer(framebuffer);
}
static inline void ph_glBlitFramebuffer(
    GLint sx0, GLint sy0, GLint sx1, GLint sy1, GLint dx0, GLint dy0, GLint dx1, GLint dy1,
    GLbitfield mask,
    GLenum filter) { glBlitFramebuffer(sx0, sy0, sx1, sy1, dx0, dy0, dx1, dy1, mask, filter); }
static inline GLboolean ph_glIsTexture(GLuint texture) { return glIsTexture(texture); }
static inline void ph_glReadBuffer(GLenum buffer) { glReadBuffer(buffer); }
static inline void ph_glReadPixels(
    GLint x, GLint y, GLsizei w, GLsizei h, GLenum format, GLenum type, void *pixels) {
    glReadPixels(x, y, w, h, format, type, pixels);
}

// Programs
static inline GLuint ph_glCreateShader(GLenum stage) { return glCreateShader(stage); }
static inline void ph_glDeleteShader(GLuint name) { glDeleteShader(name); }
static inline void ph_glShaderSource(GLuint name, const char *text, GLint length) {
    glShaderSource(name, 1, &text, &length);
}
static inline void ph_glCompileShader(GLuint name) { glCompileShader(name); }
static inline void ph_glGetShaderiv(GLuint name, GLenum parameter, GLint *value) {
    glGetShaderiv(name, parameter, value);
}
static inline void ph_glGetShaderInfoLog(
    GLuint name, GLsizei capacity, GLsizei *length, char *log) {
    glGetShaderInfoLog(name, capacity, length, log);
}
static inline GLuint ph_glCreateProgram(void) { return glCreateProgram(); }
static inline void ph_glDeleteProgram(GLuint name) { glDeleteProgram(name); }
static inline void ph_glAttachShader(GLuint program, GLuint shader) {
    glAttachShader(program, shader);
}
static inline void ph_glDetachShader(GLuint program, GLuint shader) {
    glDetachShader(program, shader);
}
static inline void ph_glBindAttribLocation(GLuint program, GLuint index, const char *name) {
    glBindAttribLocation(program, index, name);
}
static inline void ph_glBindFragDataLocation(GLuint program, GLuint index, const char *name) {
    glBindFragDataLocation(program, index, name);
}
static inline void ph_glLinkProgram(GLuint name) { glLinkProgram(name); }
static inline void ph_glGetProgramiv(GLuint name, GLenum parameter, GLint *value) {
    glGetProgramiv(name, parameter, value);
}
static inline void ph_glGetProgramInfoLog(
    GLuint name, GLsizei capacity, GLsizei *length, char *log) {
    glGetProgramInfoLog(name, capacity, length, log);
}
static inline void ph_glGetActiveUniform(
    GLuint program, GLuint index, GLsizei capacity, GLsizei *length, GLint *size, GLenum *type,
    char *name) {
    glGetActiveUniform(program, index, capacity, length, size, type, name);
}
static inline GLint ph_glGetUniformLocation(GLuint program, const char *name) {
    return glGetUniformLocation(program, name);
}
static inline void ph_glUseProgram(GLuint name) { glUseProgram(name); }
static inline void ph_glUniform1i(GLint location, GLint x) { glUniform1i(location, x); }
static inline void ph_glUniform2i(GLint location, GLint x, GLint y) { glUniform2i(location, x, y); }
static inline void ph_glUniform3i(GLint location, GLint x, GLint y, GLint z) {
    glUniform3i(location, x, y, z);
}
static inline void ph_glUniform4i(GLint location, GLint x, GLint y, GLint z, GLint w) {
    glUniform4i(location, x, y, z, w);
}
static inline void ph_glUniform1ui(GLint location, GLuint x) { glUniform1ui(location, x); }
static inline void ph_glUniform1f(GLint location, GLfloat x) { glUniform1f(location, x); }
static inline void ph_glUniform2f(GLint location, GLfloat x, GLfloat y) {
    glUniform2f(location, x, y);
}
static inline void ph_glUniform3f(GLint location, GLfloat x, GLfloat y, GLfloat z) {
    glUniform3f(location, x, y, z);
}
static inline void ph_glUniform4f(GLint location, GLfloat x, GLfloat y, GLfloat z, GLfloat w) {
    glUniform4f(location, x, y, z, w);
}
static inline void ph_glUniformMatrix3fv(
    GLint location, GLsizei count, GLboolean transpose, const GLfloat *values) {
    glUniformMatrix3fv(location, count, transpose, values);
}

// Timer queries
static inline void ph_glGenQueries(GLsizei n, GLuint *names) { glGenQueries(n, names); }
static inline void ph_glDeleteQueries(GLsizei n, const GLuint *names) { glDeleteQueries(n, names); }
static inline void ph_glBeginQuery(GLenum target, GLuint name) { glBeginQuery(target, name); }
static inline void ph_glEndQuery(GLenum target) { glEndQuery(target); }
static inline void ph_glQueryCounter(GLuint name, GLenum target) { glQueryCounter(name, target); }
static inline void ph_glGetQueryiv(GLenum target, GLenum parameter, GLint *value) {
    glGetQueryiv(target, parameter, value);
}
static inline void ph_glGetQueryObjectuiv(GLuint name, GLenum parameter, GLuint *value) {
    glGetQueryObjectuiv(name, parameter, value);
}
static inline void ph_glGetQueryObjectui64v(GLuint name, GLenum parameter, GLuint64 *value) {
    glGetQueryObjectui64v(name, parameter, value);
}

// Saving and restoring the state of a host
static inline GLboolean ph_glIsEnabled(GLenum capability) { return glIsEnabled(capability); }
static inline GLboolean ph_glIsEnabledi(GLenum capability, GLuint index) {
    return glIsEnabledi(capability, index);
}
static inline void ph_glEnablei(GLenum capability, GLuint index) { glEnablei(capability, index); }
static inline void ph_glDisablei(GLenum capability, GLuint index) { glDisablei(capability, index); }
static inline void ph_glGetFloatv(GLenum name, GLfloat *values) { glGetFloatv(name, values); }
static inline void ph_glGetBooleanv(GLenum name, GLboolean *values) { glGetBooleanv(name, values); }
static inline void ph_glGetIntegeri_v(GLenum name, GLuint index, GLint *values) {
    glGetIntegeri_v(name, index, values);
}
static inline void ph_glGetBooleani_v(GLenum name, GLuint index, GLboolean *values) {
    glGetBooleani_v(name, index, values);
}
static inline void ph_glGetFloati_v(GLenum name, GLuint index, GLfloat *values) {
    glGetFloati_v(name, index, values);
}
static inline void ph_glColorMask(GLboolean r, GLboolean g, GLboolean b, GLboolean a) {
    glColorMask(r, g, b, a);
}
static inline void ph_glColorMaski(
    GLuint index, GLboolean r, GLboolean g, GLboolean b, GLboolean a) {
    glColorMaski(index, r, g, b, a);
}
static inline void ph_glBlendFuncSeparatei(GLuint index, GLenum s, GLenum d, GLenum sa, GLenum da) {
    glBlendFuncSeparatei(index, s, d, sa, da);
}
static inline void ph_glBlendEquationi(GLuint index, GLenum mode) { glBlendEquationi(index, mode); }
static inline void ph_glBlendEquationSeparatei(GLuint index, GLenum color, GLenum alpha) {
    glBlendEquationSeparatei(index, color, alpha);
}
static inline void ph_glBlendEquationSeparate(GLenum color, GLenum alpha) {
    glBlendEquationSeparate(color, alpha);
}
static inline void ph_glViewportIndexedf(GLuint index, GLfloat x, GLfloat y, GLfloat w, GLfloat h) {
    glViewportIndexedf(index, x, y, w, h);
}
static inline void ph_glPolygonMode(GLenum face, GLenum mode) { glPolygonMode(face, mode); }
static inline void ph_glClipControl(GLenum origin, GLenum depth) { glClipControl(origin, depth); }
static inline void ph_glClampColor(GLenum target, GLenum clamp) { glClampColor(target, clamp); }
static inline void ph_glPauseTransformFeedback(void) { glPauseTransformFeedback(); }
static inline void ph_glResumeTransformFeedback(void) { glResumeTransformFeedback(); }
static inline void ph_glPixelTransferf(GLenum name, GLfloat value) {
    glPixelTransferf(name, value);
}
