/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Overlays a magnifying glass",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Distortion"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "center", "LABEL": "Centre", "TYPE": "point2D",
          "DEFAULT": [0.5, 0.5], "MIN": [0.0, 0.0], "MAX": [1.0, 1.0] },
        { "NAME": "radius", "LABEL": "Radius (fraction of height)", "TYPE": "float",
          "DEFAULT": 0.25, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "zoom", "LABEL": "Magnification", "TYPE": "float",
          "DEFAULT": 2.5, "MIN": 1.0, "MAX": 16.0 },
        { "NAME": "rim", "LABEL": "Rim (fraction of radius)", "TYPE": "float",
          "DEFAULT": 0.05, "MIN": 0.0, "MAX": 0.3 },
        { "NAME": "shadow", "LABEL": "Shadow", "TYPE": "float",
          "DEFAULT": 0.5, "MIN": 0.0, "MAX": 1.0 },
        { "NAME": "rimColor", "LABEL": "Rim colour", "TYPE": "color",
          "DEFAULT": [0.9, 0.9, 0.9, 1.0] }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// The point under the pointer stays in place. In a tree of layers, a second layer with the same
// video makes a better loupe, because it magnifies the video's own samples; this effect magnifies
// the rendered layer.

#ifdef PLAYHEAD
#define ASPECT playheadAspect
#else
#define ASPECT (RENDERSIZE.x / RENDERSIZE.y)
#endif

// Pixels stay sharp: a linear filter would blur large pixels. Here each of them is flat, and only
// the edges, one screen pixel wide, are interpolated.
vec4 sharp(vec2 place) {
    vec2 texel = place * IMG_SIZE(inputImage);
    vec2 edge = floor(texel + 0.5);
    return IMG_PIXEL(inputImage, edge + clamp((texel - edge) * max(zoom, 1.0), -0.5, 0.5));
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    if (radius <= 0.0) {
        gl_FragColor = source;
        return;
    }
    vec2 aspect = vec2(ASPECT, 1.0);
    vec2 fromCenter = (isf_FragNormCoord - center) * aspect;
    // The coverage of a pixel by a disc, so that edges are smooth at any size.
    float far = length(fromCenter);
    float glass = clamp((radius * (1.0 - rim) - far) * RENDERSIZE.y + 0.5, 0.0, 1.0);
    float disc = clamp((radius - far) * RENDERSIZE.y + 0.5, 0.0, 1.0);
    // The shadow is below the glass, and softer.
    float fall = length(fromCenter + vec2(0.0, 0.08 * radius)) / radius;
    float dark = shadow * (1.0 - smoothstep(0.9, 1.25, fall)) * (1.0 - disc);
    vec4 seen = vec4(source.rgb * (1.0 - dark), max(source.a, dark));
    // The rim is lit from above.
    float shine = 0.75 + 0.35 * fromCenter.y / radius;
    seen = mix(seen, vec4(rimColor.rgb * shine, 1.0), disc * rimColor.a * step(0.001, rim));
    vec4 magnified = sharp(center + (isf_FragNormCoord - center) / max(zoom, 1.0));
    gl_FragColor = mix(seen, magnified, glass);
}
