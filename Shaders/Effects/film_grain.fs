/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Adds the grain of film",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 0.4, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "size", "LABEL": "Grain in pixels", "TYPE": "float",
          "DEFAULT": 1.5, "MIN": 1.0, "MAX": 6.0 },
        { "NAME": "color", "LABEL": "Colour of grain", "TYPE": "float",
          "DEFAULT": 0.3, "MIN": 0.0, "MAX": 1.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Where half of the grains are developed, their number varies most; in black and in white there is
// nothing to vary.

// The first number of pcg3d, Jarzynski and Olano, JCGT 9(3), 2020.
float hash(ivec3 place) {
    uvec3 v = uvec3(place) * 1664525u + 1013904223u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v ^= v >> 16u;
    v.x += v.y * v.z;
    return float(v.x) / 4294967295.0;
}

// Between the corners of a grid, so that grains have a size.
float noise(vec2 place, int seed) {
    vec2 corner = floor(place);
    vec2 t = place - corner;
    ivec3 cell = ivec3(corner, seed);
    float above = mix(hash(cell), hash(cell + ivec3(1, 0, 0)), t.x);
    float below = mix(hash(cell + ivec3(0, 1, 0)), hash(cell + ivec3(1, 1, 0)), t.x);
    return mix(above, below, t.y) - 0.5;
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    // A new grain 24 times a second, as film has it.
    int seed = int(floor(TIME * 24.0)) * 4;
    vec2 place = gl_FragCoord.xy / max(size, 1.0);
    vec3 grain = vec3(noise(place, seed));
    vec3 colored = vec3(noise(place, seed + 1), noise(place, seed + 2), noise(place, seed + 3));
    // Most in the middle tones, none where film is clear or covered.
    float luma = dot(source.rgb, vec3(0.2126, 0.7152, 0.0722));
    float density = 4.0 * luma * (1.0 - luma);
    grain = mix(grain, colored, color);
    gl_FragColor = vec4(source.rgb + 0.35 * amount * density * grain, source.a);
}
