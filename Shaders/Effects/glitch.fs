/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Simulates signal dropouts",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 0.5, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "rate", "LABEL": "Rate (per second)", "TYPE": "float",
          "DEFAULT": 6.0, "MIN": 0.5, "MAX": 30.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Everything depends on the time of the video only, so a frame looks the same whenever it is drawn.

// A number from 0 to 1 for each pair of integers, computed with integers, so that every GPU has the
// same result: pcg of Jarzynski and Olano, "Hash functions for GPU rendering", JCGT 9(3), 2020.
float hash(float x, float y) {
    uint state = uint(int(x)) * 1664525u + uint(int(y)) * 22695477u + 1013904223u;
    state = state * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return float((word >> 22u) ^ word) / 4294967295.0;
}

void main() {
    if (amount == 0.0) {
        gl_FragColor = IMG_THIS_PIXEL(inputImage);
        return;
    }
    float moment = floor(TIME * rate);
    // Some bands of lines are shifted sideways.
    float band = floor(isf_FragNormCoord.y * mix(6.0, 40.0, hash(moment, 1.0)));
    float slip = step(1.0 - 0.4 * amount, hash(band, moment)) * (hash(band, moment + 7.0) - 0.5);
    vec2 place = isf_FragNormCoord + vec2(0.3 * amount * slip, 0.0);
    // Some blocks show another part of the frame.
    vec2 block = floor(isf_FragNormCoord * vec2(16.0, 9.0));
    if (hash(block.x + 31.0 * moment, block.y) < 0.06 * amount) {
        place += vec2(hash(block.y, moment) - 0.5, hash(block.x, moment) - 0.5) * 0.4;
    }
    // Red is shifted one way and blue the other.
    vec2 shift = vec2(0.02 * amount * (hash(moment, 3.0) - 0.5) + 0.01 * slip, 0.0);
    place = fract(place);
    vec4 green = IMG_NORM_PIXEL(inputImage, place);
    gl_FragColor = vec4(IMG_NORM_PIXEL(inputImage, place + shift).r, green.g,
        IMG_NORM_PIXEL(inputImage, place - shift).b, green.a);
}
