// SPDX-License-Identifier: Apache-2.0
//
// Converts a frame's samples to R'G'B', from any layout of planes.
//
// Defines:  PICTURE_VIEWS        1: all components in one texture; 2: luma, and Cb with Cr;
//                                3: one texture for each component
//           PICTURE_ALPHA_VIEW   alpha has its own texture; otherwise it is in the first one
//           PICTURE_ALPHA_SCALE  the factor of alpha's samples, if their highest bits are unused
//           PICTURE_CONVERTS     samples have to be converted to full-range R'G'B'
//           PICTURE_IS_YCBCR     the conversion is a matrix of luma and colour difference: luma
//                                contributes equally to all, Cb not to red, Cr not to blue
//           PICTURE_STAGE        the result of the matrix needs another step: colorimetry.glsl
//           CONVERSION_OFFSET, CONVERSION_LUMA, CONVERSION_CHROMA, CONVERSION_MATRIX
//                                the values of the uniforms of these names, as constants
// Uniforms: views as samplers, sampled 0 to 1 of the texture's range;
//           conversionMatrix, conversionOffset: samples to R'G'B', depth and range included;
//           conversionLuma, conversionChroma, in place of the matrix: the factor of luma for all;
//           those of Cr to red, Cb and Cr to green, Cb to blue;
//           chromaTransform: luma's texture coordinates to chroma's, scale in xy, offset in zw,
//           for subsampling and siting (ITU-T H.273, figure 1).
// Coordinates: 0, 0 is the top left corner of the stored frame.
// Result: nonlinear R'G'B', not clamped, and alpha, 0 to 1, as stored.

uniform sampler2D view0;
#if PICTURE_VIEWS > 1
uniform sampler2D view1;
uniform vec4 chromaTransform;
#endif
#if PICTURE_VIEWS > 2
uniform sampler2D view2;
#endif
#ifdef PICTURE_ALPHA_VIEW
uniform sampler2D alphaView;
#endif
#ifdef PICTURE_CONVERTS
#ifdef CONVERSION_OFFSET
const vec3 conversionOffset = CONVERSION_OFFSET;
#else
uniform vec3 conversionOffset;
#endif
#ifdef PICTURE_IS_YCBCR
#ifdef CONVERSION_OFFSET
const float conversionLuma = CONVERSION_LUMA;
const vec4 conversionChroma = CONVERSION_CHROMA;
#else
uniform float conversionLuma;
uniform vec4 conversionChroma;
#endif

// This takes half the operations of a matrix, which saves a tenth of the time on software OpenGL.
vec3 converted(vec3 samples) {
    return samples.x * conversionLuma + conversionOffset
        + vec3(conversionChroma.x * samples.z, dot(conversionChroma.yz, samples.yz),
            conversionChroma.w * samples.y);
}
#else
#ifdef CONVERSION_OFFSET
const mat3 conversionMatrix = CONVERSION_MATRIX;
#else
uniform mat3 conversionMatrix;
#endif

vec3 converted(vec3 samples) { return conversionMatrix * samples + conversionOffset; }
#endif
#endif

// The coordinate of chroma may be interpolated from the vertices, at no extra cost.
vec4 pictureColor(vec2 coordinate, vec2 chroma) {
    vec4 samples = texture(view0, coordinate);
#if PICTURE_VIEWS == 2
    samples.yz = texture(view1, chroma).rg;
#elif PICTURE_VIEWS == 3
    samples.yz = vec2(texture(view1, chroma).r, texture(view2, chroma).r);
#endif
#ifdef PICTURE_ALPHA_VIEW
    samples.a = texture(alphaView, coordinate).r;
#endif
#ifdef PICTURE_ALPHA_SCALE
    samples.a *= PICTURE_ALPHA_SCALE;
#endif
#ifdef PICTURE_CONVERTS
    samples.rgb = converted(samples.rgb);
#endif
#ifdef PICTURE_STAGE
    samples.rgb = stagedColor(samples.rgb);
#endif
    return samples;
}

vec4 pictureColor(vec2 coordinate) {
#if PICTURE_VIEWS > 1
    return pictureColor(coordinate, coordinate * chromaTransform.xy + chromaTransform.zw);
#else
    return pictureColor(coordinate, coordinate);
#endif
}
