/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Darkens the corners",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque", "RANGE": "any" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 0.6, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "radius", "LABEL": "Radius", "TYPE": "float",
          "DEFAULT": 0.5, "MIN": 0.0, "MAX": 1.5 },
        { "NAME": "softness", "LABEL": "Softness", "TYPE": "float",
          "DEFAULT": 0.6, "MIN": 0.01, "MAX": 1.5 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// The vignette is a circle, with a radius of 1 at half the height. In a wide frame the left and
// right edges are darker, as with a lens.

#ifdef PLAYHEAD
#define ASPECT playheadAspect
#else
#define ASPECT (RENDERSIZE.x / RENDERSIZE.y)
#endif

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    vec2 place = (isf_FragNormCoord - 0.5) * vec2(ASPECT, 1.0);
    float light = 0.5 * radius;
    float dark = smoothstep(light, light + 0.5 * max(softness, 0.001), length(place));
    gl_FragColor = vec4(source.rgb * (1.0 - amount * dark), source.a);
}
