/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Displaces the frame by waves or by a displacement map",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Distortion"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "map", "LABEL": "Map (red right, green up)", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount (fraction of height)", "TYPE": "float",
          "DEFAULT": 0.03, "MIN": 0.0, "MAX": 0.3, "IDENTITY": 0.0 },
        { "NAME": "scale", "LABEL": "Wavelength (fraction of height)", "TYPE": "float",
          "DEFAULT": 0.25, "MIN": 0.02, "MAX": 1.0 },
        { "NAME": "speed", "LABEL": "Speed (waves per second)", "TYPE": "float",
          "DEFAULT": 0.3, "MIN": 0.0, "MAX": 4.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// A medium grey in the map moves nothing: one half stands for zero, as in the maps of compositing
// programs.

#ifdef PLAYHEAD
#define ASPECT playheadAspect
#else
#define ASPECT (RENDERSIZE.x / RENDERSIZE.y)
#endif

const float circle = 6.2831853;

void main() {
    if (amount == 0.0) {
        gl_FragColor = IMG_THIS_PIXEL(inputImage);
        return;
    }
    vec2 aspect = vec2(ASPECT, 1.0);
    vec2 place = isf_FragNormCoord * aspect / max(scale, 0.001);
    // Without a map, which reads as transparent, two crossing waves are used.
    vec4 wanted = IMG_NORM_PIXEL(map, isf_FragNormCoord);
    float moved = speed * TIME;
    vec2 waves = vec2(sin(circle * (place.y + moved)), cos(circle * (place.x + moved)));
    vec2 offset = wanted.a > 0.0 ? (wanted.rg - 0.5) * 2.0 : waves;
    vec2 from = isf_FragNormCoord + amount * offset / aspect;
    // Coordinates are mirrored at the edges.
    gl_FragColor = IMG_NORM_PIXEL(inputImage, 1.0 - abs(1.0 - mod(from, 2.0)));
}
