// SPDX-License-Identifier: Apache-2.0
//
// A pixel of a layer: the frame's colour and alpha in the form that the target has.
//
// Defines:  ALPHA_IN, ALPHA_OUT  ALPHA_OPAQUE, ALPHA_STRAIGHT or ALPHA_PREMULTIPLIED
//           COLOR_TRANSFORM      as in colorimetry.glsl
//           COLOR_UNBOUNDED      the target accepts values below 0 and above 1
//           DITHER_STEP          as in dither.glsl
// Uniforms: opacity, 0 to 1
//
// Colour is clamped before it is multiplied by alpha: a red of 1.2 at half opacity is 0.5.

noperspective in vec2 pictureCoordinate;
#if PICTURE_VIEWS > 1
noperspective in vec2 chromaCoordinate;
#endif
uniform float opacity;
out vec4 fragmentColor;

void main() {
#if PICTURE_VIEWS > 1
    vec4 color = pictureColor(pictureCoordinate, chromaCoordinate);
#else
    vec4 color = pictureColor(pictureCoordinate);
#endif
#ifdef COLOR_TRANSFORM
#if ALPHA_IN == ALPHA_PREMULTIPLIED
    color.rgb = color.a > 0.0 ? targetColor(color.rgb / color.a) * color.a : vec3(0.0);
#else
    color.rgb = targetColor(color.rgb);
#endif
#endif
#ifdef COLOR_UNBOUNDED
    color.a = clamp(color.a, 0.0, 1.0);
#else
    color = clamp(color, 0.0, 1.0);
#endif
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
#ifdef DITHER_STEP
    fragmentColor.rgb += dither();
#endif
}
