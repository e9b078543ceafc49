// SPDX-License-Identifier: Apache-2.0
//
// One layer's pixel: the picture's colour, its alpha brought into the form that the target wants.
//
// Defines:  ALPHA_IN, ALPHA_OUT  ALPHA_OPAQUE, ALPHA_STRAIGHT or ALPHA_PREMULTIPLIED
// Uniforms: opacity, 0 to 1
//
// Colour is clamped before it meets alpha: a red of 1.2 at half opacity is a half, not 0.6.

in vec2 pictureCoordinate;
uniform float opacity;
out vec4 fragmentColor;

void main() {
    vec4 color = clamp(pictureColor(pictureCoordinate), 0.0, 1.0);
#if ALPHA_IN == ALPHA_OPAQUE
    color.a = 1.0;
#elif ALPHA_IN == ALPHA_STRAIGHT && ALPHA_OUT == ALPHA_PREMULTIPLIED
    color.rgb *= color.a;
#elif ALPHA_IN == ALPHA_PREMULTIPLIED && ALPHA_OUT == ALPHA_STRAIGHT
    color.rgb = color.a > 0.0 ? min(color.rgb / color.a, 1.0) : vec3(0.0);
#endif
#if ALPHA_OUT == ALPHA_PREMULTIPLIED
    fragmentColor = color * opacity;
#else
    fragmentColor = vec4(color.rgb, color.a * opacity);
#endif
}
