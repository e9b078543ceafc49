/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Reduces noise and preserves edges",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 0.5, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "strength", "LABEL": "Noise level", "TYPE": "float",
          "DEFAULT": 0.08, "MIN": 0.005, "MAX": 0.3 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// A bilateral filter (Tomasi and Manduchi, 1998): the mean of 49 pixels, weighted by distance and
// similarity. The two sides of an edge differ, so the edge is preserved.

// Texels are read without a filter.
#ifdef PLAYHEAD
vec3 pixel(ivec2 offset) {
    ivec2 place = clamp(ivec2(gl_FragCoord.xy) + offset, ivec2(0), ivec2(RENDERSIZE) - 1);
    return texelFetch(inputImage, place, 0).rgb;
}
#else
vec3 pixel(ivec2 offset) {
    return IMG_PIXEL(inputImage, gl_FragCoord.xy + vec2(offset)).rgb;
}
#endif

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    vec3 sum = vec3(0.0);
    float total = 0.0;
    // The weights are powers of two, which are fast on GPUs and CPUs.
    float unlike = 1.442695 / max(2.0 * strength * strength, 0.00001);
    for (int y = -3; y <= 3; y++) {
        for (int x = -3; x <= 3; x++) {
            vec3 color = pixel(ivec2(x, y));
            vec3 difference = color - source.rgb;
            float weight = exp2(-1.442695 / 8.0 * float(x * x + y * y)
                - unlike * dot(difference, difference));
            sum += weight * color;
            total += weight;
        }
    }
    gl_FragColor = vec4(mix(source.rgb, sum / total, amount), source.a);
}
