/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Adds a glow around bright areas",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 0.6, "MIN": 0.0, "MAX": 2.0, "IDENTITY": 0.0 },
        { "NAME": "threshold", "LABEL": "Threshold", "TYPE": "float",
          "DEFAULT": 0.7, "MIN": 0.0, "MAX": 1.0 },
        { "NAME": "radius", "LABEL": "Radius (fraction of height)", "TYPE": "float",
          "DEFAULT": 0.06, "MIN": 0.01, "MAX": 0.2 }
    ],
    "PASSES": [
        { "TARGET": "light", "FLOAT": true,
          "WIDTH": "ceil($WIDTH / 4)", "HEIGHT": "ceil($HEIGHT / 4)" },
        { "TARGET": "across", "FLOAT": true,
          "WIDTH": "ceil($WIDTH / 4)", "HEIGHT": "ceil($HEIGHT / 4)" },
        { "TARGET": "glow", "FLOAT": true,
          "WIDTH": "ceil($WIDTH / 4)", "HEIGHT": "ceil($HEIGHT / 4)" },
        {}
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Lenses scatter light, so the glow is added to light. In R'G'B' it would be far too strong in dark
// areas. The blur works at a quarter of the size, which is enough and sixteen times cheaper.

vec3 toLight(vec3 c) {
    return mix(c / 12.92, pow(max((c + 0.055) / 1.055, 0.0), vec3(2.4)), step(0.04045, c));
}

vec3 fromLight(vec3 l) {
    return mix(l * 12.92, 1.055 * pow(max(l, 0.0), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, l));
}

const int taps = 10;

// The light above the threshold, with its hue. The soft knee avoids flicker around the threshold.
vec3 bright(vec3 color) {
    float peak = max(color.r, max(color.g, color.b));
    return toLight(color) * smoothstep(threshold, threshold + 0.2, peak);
}

// A pixel at a quarter of the size: the mean of the light of the 4 x 4 pixels under it.
vec3 brightHere() {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 4; i++) {
        vec2 place = gl_FragCoord.xy + 0.5 * vec2(i % 2, i / 2) - 0.25;
        sum += bright(IMG_NORM_PIXEL(inputImage, place / RENDERSIZE).rgb);
    }
    return 0.25 * sum;
}

#define BLUR(image, direction) \
    float sigma = max(0.5 * radius * RENDERSIZE.y, 0.001); \
    vec3 sum = vec3(0.0); \
    float total = 0.0; \
    for (int i = -taps; i <= taps; i++) { \
        float offset = float(i) * max(1.0, 2.5 * sigma / float(taps)); \
        float weight = exp(-offset * offset / (2.0 * sigma * sigma)); \
        sum += weight * IMG_PIXEL(image, gl_FragCoord.xy + offset * (direction)).rgb; \
        total += weight; \
    } \
    gl_FragColor = vec4(sum / total, 1.0);

void main() {
    if (PASSINDEX == 0) {
        gl_FragColor = vec4(brightHere(), 1.0);
    } else if (PASSINDEX == 1) {
        BLUR(light, vec2(1.0, 0.0))
    } else if (PASSINDEX == 2) {
        BLUR(across, vec2(0.0, 1.0))
    } else {
        vec4 source = IMG_THIS_PIXEL(inputImage);
        vec3 sum = toLight(source.rgb) + amount * IMG_THIS_PIXEL(glow).rgb;
        gl_FragColor = vec4(fromLight(sum), source.a);
    }
}
