/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Blurs",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Blur"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "radius", "LABEL": "Radius in pixels", "TYPE": "float",
          "DEFAULT": 8.0, "MIN": 0.0, "MAX": 64.0, "IDENTITY": 0.0 }
    ],
    "PASSES": [
        { "TARGET": "across", "FLOAT": true },
        {}
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// The bell of Gauss is the same in two passes as in one: first along rows, then along columns, 25
// samples each instead of 625. Its standard deviation is half the radius.

// Samples on either side of the middle, further apart the wider the bell is.
const int taps = 12;

vec4 read(vec2 place) {
    if (PASSINDEX == 1) return IMG_NORM_PIXEL(across, place);
    // What is transparent has no colour to give: multiplied, then added.
    vec4 color = IMG_NORM_PIXEL(inputImage, place);
    return vec4(color.rgb * color.a, color.a);
}

vec4 along(vec2 direction) {
    float sigma = max(radius * 0.5, 0.001);
    float spacing = max(1.0, 3.0 * sigma / float(taps));
    vec4 sum = vec4(0.0);
    float total = 0.0;
    for (int i = -taps; i <= taps; i++) {
        float offset = float(i) * spacing;
        float weight = exp(-offset * offset / (2.0 * sigma * sigma));
        sum += weight * read((gl_FragCoord.xy + direction * offset) / RENDERSIZE);
        total += weight;
    }
    return sum / total;
}

void main() {
    if (PASSINDEX == 0) {
        gl_FragColor = along(vec2(1.0, 0.0));
    } else {
        vec4 color = along(vec2(0.0, 1.0));
        gl_FragColor = vec4(color.rgb / max(color.a, 0.0001), color.a);
    }
}
