/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Removes banding from skies and shadows",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "threshold", "LABEL": "Threshold", "TYPE": "float",
          "DEFAULT": 0.006, "MIN": 0.0, "MAX": 0.05, "IDENTITY": 0.0 },
        { "NAME": "radius", "LABEL": "Radius (px)", "TYPE": "float",
          "DEFAULT": 16.0, "MIN": 1.0, "MAX": 64.0 },
        { "NAME": "grain", "LABEL": "Grain", "TYPE": "float",
          "DEFAULT": 0.004, "MIN": 0.0, "MAX": 0.05, "IDENTITY": 0.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// In a slow gradient, four pixels in a cross of random angle and size around a pixel differ little
// from it, and their mean is the value without the band's edge. If one of them differs by
// more than a band, there is detail and the pixel is not changed. Grain of one code value replaces
// dithering: the mean preserves levels that 8 bits cannot represent.

// Two numbers from 0 to 1 by pcg3d, Jarzynski and Olano, JCGT 9(3), 2020.
vec2 chance(ivec3 place) {
    uvec3 v = uvec3(place) * 1664525u + 1013904223u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v ^= v >> 16u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    return vec2(v.xy) / 4294967295.0;
}

// Coordinates are clamped to the edges. Texels are read without a filter.
vec3 at(vec2 offset) {
    vec2 place = clamp(gl_FragCoord.xy + offset, vec2(0.5), RENDERSIZE - 0.5);
#ifdef PLAYHEAD
    return texelFetch(inputImage, ivec2(place), 0).rgb;
#else
    return IMG_PIXEL(inputImage, place).rgb;
#endif
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    vec3 color = source.rgb;
    ivec2 place = ivec2(gl_FragCoord.xy);
    // The test is made twice: within the radius, and within twice the radius with a lower
    // threshold.
    for (int turn = 1; turn <= 2; turn++) {
        vec2 number = chance(ivec3(place, turn));
        float angle = 6.28318531 * number.y;
        vec2 arm = floor(radius * float(turn) * number.x * vec2(cos(angle), sin(angle)) + 0.5);
        vec2 side = vec2(-arm.y, arm.x);
        vec3 a = at(arm), b = at(-arm), c = at(side), d = at(-side);
        vec3 farthest = max(
            max(abs(a - color), abs(b - color)), max(abs(c - color), abs(d - color)));
        float limit = threshold / float(turn);
        vec3 isBand = vec3(lessThan(farthest, vec3(limit)));
        color = mix(color, 0.25 * (a + b + c + d), isBand);
    }
    vec2 number = chance(ivec3(place, 0));
    gl_FragColor = vec4(color + grain * (number.x + number.y - 1.0), source.a);
}
