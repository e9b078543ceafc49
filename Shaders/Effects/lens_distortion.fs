/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Adds or corrects lens distortion",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Distortion"],
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "barrel", "LABEL": "Distortion", "TYPE": "float",
          "DEFAULT": 0.15, "MIN": -0.5, "MAX": 0.5, "IDENTITY": 0.0 },
        { "NAME": "second", "LABEL": "Second-order distortion", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -0.5, "MAX": 0.5, "IDENTITY": 0.0 },
        { "NAME": "fringe", "LABEL": "Chromatic aberration", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": 0.0, "MAX": 0.05, "IDENTITY": 0.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// The radial terms of Brown's model (1966): the distance from the centre, in units of half the
// height, times 1 + k1 r^2 + k2 r^4.

#ifdef PLAYHEAD
#define ASPECT playheadAspect
#else
#define ASPECT (RENDERSIZE.x / RENDERSIZE.y)
#endif

void main() {
    vec2 aspect = vec2(ASPECT, 1.0);
    vec2 place = (isf_FragNormCoord - 0.5) * 2.0 * aspect;
    float r2 = dot(place, place);
    vec2 fromMiddle = place * (1.0 + r2 * (barrel + r2 * second)) / (2.0 * aspect);
    vec4 source = IMG_NORM_PIXEL(inputImage, fromMiddle + 0.5);
    // Glass refracts blue more than red, so their images differ in size from that of green.
    float red = IMG_NORM_PIXEL(inputImage, fromMiddle * (1.0 + fringe * r2) + 0.5).r;
    float blue = IMG_NORM_PIXEL(inputImage, fromMiddle * (1.0 - fringe * r2) + 0.5).b;
    // Outside of the frame, the result is transparent.
    vec2 inside = step(abs(fromMiddle), vec2(0.5));
    gl_FragColor = vec4(red, source.g, blue, source.a * inside.x * inside.y);
}
