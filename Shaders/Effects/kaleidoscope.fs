/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Mirrors a wedge of the frame around a point",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Distortion"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "wedges", "LABEL": "Wedges", "TYPE": "float",
          "DEFAULT": 6.0, "MIN": 1.0, "MAX": 24.0 },
        { "NAME": "turn", "LABEL": "Rotation (degrees)", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": 0.0, "MAX": 360.0 },
        { "NAME": "center", "LABEL": "Centre", "TYPE": "point2D",
          "DEFAULT": [0.5, 0.5], "MIN": [0.0, 0.0], "MAX": [1.0, 1.0] },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Wedges alternate between the image and its reflection, as between two mirrors at an angle.

#ifdef PLAYHEAD
#define ASPECT playheadAspect
#else
#define ASPECT (RENDERSIZE.x / RENDERSIZE.y)
#endif

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    vec2 aspect = vec2(ASPECT, 1.0);
    vec2 place = (isf_FragNormCoord - center) * aspect;
    float wedge = 3.14159265 / max(floor(wedges), 1.0);
    // The angle of the centre is undefined and has no effect.
    float angle = (length(place) > 0.0 ? atan(place.y, place.x) : 0.0) + radians(turn);
    // Every second wedge is mirrored, so that neighbours match at their border.
    angle = abs(mod(angle, 2.0 * wedge) - wedge);
    vec2 folded = center + length(place) * vec2(cos(angle), sin(angle)) / aspect;
    folded = 1.0 - abs(1.0 - mod(folded, 2.0));
    gl_FragColor = mix(source, IMG_NORM_PIXEL(inputImage, folded), amount);
}
