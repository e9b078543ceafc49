// SPDX-License-Identifier: Apache-2.0
//
// Converts a frame's planes to R'G'B', for a host's shaders: playhead_get_sampling in playhead.h
// describes the textures and uniforms. The result is that of picture.glsl, which has a program for
// each layout; this has one for all.
//
// In OpenGL ES samples of more than 8 bits need the precision that is declared here, which also
// applies to the code that follows.
// Coordinates: 0, 0 is the top left corner of the stored frame.
// Result: nonlinear R'G'B' of the video, not clamped, and alpha as stored.

#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
#endif

uniform sampler2D playhead_view0;
uniform sampler2D playhead_view1;
uniform sampler2D playhead_view2;
uniform sampler2D playhead_view3;
uniform int playhead_color_views;
uniform int playhead_has_alpha;
uniform mat3 playhead_matrix;
uniform vec3 playhead_offset;
uniform vec4 playhead_chroma;

vec4 playhead_sample(vec2 coordinate) {
    vec2 chroma = coordinate * playhead_chroma.xy + playhead_chroma.zw;
    vec4 samples = texture(playhead_view0, coordinate);
    if (playhead_color_views == 2) {
        samples.yz = texture(playhead_view1, chroma).rg;
    } else if (playhead_color_views == 3) {
        samples.yz = vec2(texture(playhead_view1, chroma).r, texture(playhead_view2, chroma).r);
    }
    if (playhead_has_alpha != 0) {
        samples.a = playhead_color_views == 1 ? texture(playhead_view1, coordinate).r
            : playhead_color_views == 2 ? texture(playhead_view2, coordinate).r
            : texture(playhead_view3, coordinate).r;
        // The samples are in the lower bits of 16-bit words.
        if (playhead_has_alpha > 1) samples.a *= 65535.0 / (exp2(float(playhead_has_alpha)) - 1.0);
    }
    return vec4(playhead_matrix * samples.rgb + playhead_offset, samples.a);
}
