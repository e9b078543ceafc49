// SPDX-License-Identifier: Apache-2.0
//
// Combines a layer (the source) with the layers behind it (the backdrop). Names and sections are
// those of the W3C's "Compositing and Blending Level 1".
//
// Defines:  BLEND_MODE  the name of the mode's function below
// Input and output colours are premultiplied; the modes of section 10 take straight colours.

// 5.8.1 and 10: simple alpha compositing with blending.
vec4 mixed(vec4 source, vec4 backdrop, vec3 blended) {
    return vec4(
        source.rgb * (1.0 - backdrop.a) + backdrop.rgb * (1.0 - source.a)
            + source.a * backdrop.a * blended,
        source.a + backdrop.a * (1.0 - source.a));
}
vec3 straight(vec4 color) { return color.a > 0.0 ? min(color.rgb / color.a, 1.0) : vec3(0.0); }

// 10.1: separable modes, as functions of the backdrop's and the source's colours.
float hardLightOf(float b, float s) {
    return s <= 0.5 ? b * 2.0 * s : b + (2.0 * s - 1.0) - b * (2.0 * s - 1.0);
}
float colorDodgeOf(float b, float s) {
    return b == 0.0 ? 0.0 : s >= 1.0 ? 1.0 : min(1.0, b / (1.0 - s));
}
float colorBurnOf(float b, float s) {
    return b >= 1.0 ? 1.0 : s <= 0.0 ? 0.0 : 1.0 - min(1.0, (1.0 - b) / s);
}
float softLightOf(float b, float s) {
    float d = b <= 0.25 ? ((16.0 * b - 12.0) * b + 4.0) * b : sqrt(b);
    return s <= 0.5 ? b - (1.0 - 2.0 * s) * b * (1.0 - b) : b + (2.0 * s - 1.0) * (d - b);
}
#define EACH(mode, x, y) vec3(mode(x.r, y.r), mode(x.g, y.g), mode(x.b, y.b))
vec3 multiply(vec3 b, vec3 s) { return b * s; }
vec3 overlay(vec3 b, vec3 s) { return EACH(hardLightOf, s, b); }
vec3 darken(vec3 b, vec3 s) { return min(b, s); }
vec3 lighten(vec3 b, vec3 s) { return max(b, s); }
vec3 colorDodge(vec3 b, vec3 s) { return EACH(colorDodgeOf, b, s); }
vec3 colorBurn(vec3 b, vec3 s) { return EACH(colorBurnOf, b, s); }
vec3 hardLight(vec3 b, vec3 s) { return EACH(hardLightOf, b, s); }
vec3 softLight(vec3 b, vec3 s) { return EACH(softLightOf, b, s); }
vec3 difference(vec3 b, vec3 s) { return abs(b - s); }

// 10.2: modes that are computed from whole colours.
float lumOf(vec3 c) { return dot(c, vec3(0.3, 0.59, 0.11)); }
float satOf(vec3 c) { return max(max(c.r, c.g), c.b) - min(min(c.r, c.g), c.b); }
vec3 clipColor(vec3 c) {
    float l = lumOf(c);
    float n = min(min(c.r, c.g), c.b);
    float x = max(max(c.r, c.g), c.b);
    if (n < 0.0) c = l + (c - l) * l / (l - n);
    if (x > 1.0) c = l + (c - l) * (1.0 - l) / (x - l);
    return c;
}
vec3 setLum(vec3 c, float l) { return clipColor(c + (l - lumOf(c))); }
// Maps the smallest channel to 0, the largest to the saturation, and the middle one in proportion.
vec3 setSat(vec3 c, float s) {
    float n = min(min(c.r, c.g), c.b);
    float range = satOf(c);
    return range > 0.0 ? (c - n) * s / range : vec3(0.0);
}
vec3 hue(vec3 b, vec3 s) { return setLum(setSat(s, satOf(b)), lumOf(b)); }
vec3 saturation(vec3 b, vec3 s) { return setLum(setSat(b, satOf(s)), lumOf(b)); }
vec3 color(vec3 b, vec3 s) { return setLum(s, lumOf(b)); }
vec3 luminosity(vec3 b, vec3 s) { return setLum(b, lumOf(s)); }

// 9.1: Porter and Duff's operators, except those that OpenGL's own blending can compute.
vec4 clear(vec4 s, vec4 b) { return vec4(0.0); }
vec4 copy(vec4 s, vec4 b) { return s; }
vec4 sourceIn(vec4 s, vec4 b) { return s * b.a; }
vec4 destinationIn(vec4 s, vec4 b) { return b * s.a; }
vec4 sourceOut(vec4 s, vec4 b) { return s * (1.0 - b.a); }
vec4 destinationAtop(vec4 s, vec4 b) { return s * (1.0 - b.a) + b * s.a; }

vec4 blend(vec4 source, vec4 backdrop) {
#ifdef BLEND_IS_OPERATOR
    return BLEND_MODE(source, backdrop);
#else
    return mixed(source, backdrop, BLEND_MODE(straight(backdrop), straight(source)));
#endif
}
