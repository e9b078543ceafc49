// SPDX-License-Identifier: Apache-2.0
//
// The video's own chroma, for effects that request it: not converted to R'G'B', so neither clamped
// nor scaled, and at its full depth.
//
// Defines:  PICTURE_VIEWS  as in picture.glsl
// Uniforms: playheadChroma…: the textures of the frame that hold chroma;
//           playheadChromaMatrix: an effect's coordinates to those of the stored frame;
//           playheadChromaTransform: those to chroma's own, scale in xy, offset in zw;
//           playheadChromaSignal: samples to Cb and Cr, scale in xy, bias in zw;
//           playheadLumaCoefficients: Kr, Kg, Kb of the video's matrix (ITU-T H.273, table 4).

#if PICTURE_VIEWS == 1
uniform sampler2D playheadChroma0;
#else
uniform sampler2D playheadChroma1;
#endif
#if PICTURE_VIEWS == 3
uniform sampler2D playheadChroma2;
#endif
uniform mat3 playheadChromaMatrix;
uniform vec4 playheadChromaTransform;
uniform vec4 playheadChromaSignal;
uniform vec3 playheadLumaCoefficients;

// Cb and Cr, -0.5 to 0.5, at a coordinate of `inputImage`, 0, 0 being its bottom left corner.
vec2 PLAYHEAD_CHROMA(vec2 coordinate) {
    vec2 stored = (playheadChromaMatrix * vec3(coordinate, 1.0)).xy;
    vec2 place = stored * playheadChromaTransform.xy + playheadChromaTransform.zw;
#if PICTURE_VIEWS == 1
    vec2 samples = texture(playheadChroma0, stored).yz;
#elif PICTURE_VIEWS == 2
    vec2 samples = texture(playheadChroma1, place).rg;
#else
    vec2 samples = vec2(texture(playheadChroma1, place).r, texture(playheadChroma2, place).r);
#endif
    return samples * playheadChromaSignal.xy + playheadChromaSignal.zw;
}

// Kr, Kg, Kb.
#define PLAYHEAD_LUMA_COEFFICIENTS playheadLumaCoefficients
