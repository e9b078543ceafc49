/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Adds film grain",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 0.4, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "size", "LABEL": "Grain size (px)", "TYPE": "float",
          "DEFAULT": 1.5, "MIN": 1.0, "MAX": 6.0 },
        { "NAME": "color", "LABEL": "Grain saturation", "TYPE": "float",
          "DEFAULT": 0.3, "MIN": 0.0, "MAX": 1.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// On film, the number of developed grains varies most where half of them are developed. In black
// and in white it does not vary.

// Four numbers from 0 to 1 by pcg4d, Jarzynski and Olano, JCGT 9(3), 2020.
vec4 hash(ivec4 place) {
    uvec4 v = uvec4(place) * 1664525u + 1013904223u;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    v ^= v >> 16u;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    return vec4(v) / 4294967295.0;
}

// Noise that is interpolated between the corners of a grid, so that grains have a size.
vec4 noise(vec2 place, int seed) {
    vec2 corner = floor(place);
    vec2 t = place - corner;
    ivec4 cell = ivec4(corner, seed, 0);
    vec4 above = mix(hash(cell), hash(cell + ivec4(1, 0, 0, 0)), t.x);
    vec4 below = mix(hash(cell + ivec4(0, 1, 0, 0)), hash(cell + ivec4(1, 1, 0, 0)), t.x);
    return mix(above, below, t.y) - 0.5;
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    // The grain changes 24 times a second, as on film.
    int seed = int(floor(TIME * 24.0));
    // One grain for all channels, and one for each channel.
    vec4 grains = noise(gl_FragCoord.xy / max(size, 1.0), seed);
    vec3 grain = mix(vec3(grains.a), grains.rgb, color);
    // The grain is strongest in the midtones. In black and in white there is no grain.
    float luma = dot(source.rgb, vec3(0.2126, 0.7152, 0.0722));
    float density = 4.0 * luma * (1.0 - luma);
    gl_FragColor = vec4(source.rgb + 0.35 * amount * density * grain, source.a);
}
