/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Simulates a halftone print in four inks",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "size", "LABEL": "Dot spacing (px)", "TYPE": "float",
          "DEFAULT": 6.0, "MIN": 3.0, "MAX": 40.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Cyan, magenta, yellow and black, with full black generation. Inks overlap, and each removes one
// of red, green and blue.

// A dot of ink on a rotated grid. Its size is the fraction of ink at its centre.
float dotOfInk(int ink, float angle) {
    vec2 axis = vec2(cos(radians(angle)), sin(radians(angle)));
    mat2 turn = mat2(axis.x, -axis.y, axis.y, axis.x);
    vec2 place = turn * gl_FragCoord.xy / max(size, 1.0);
    vec2 cell = floor(place) + 0.5;
    vec3 color = IMG_PIXEL(inputImage, (cell * size) * turn).rgb;
    float black = 1.0 - max(color.r, max(color.g, color.b));
    vec3 inks = (1.0 - color - black) / max(1.0 - black, 0.001);
    float share = ink == 3 ? black : inks[ink];
    // A disc of that area. Close to full ink, discs merge until the cell is covered.
    float radius = sqrt(clamp(share, 0.0, 1.0) / 3.14159265) * mix(1.0, 1.2533, share);
    float edge = 0.7 / max(size, 1.0);
    float cover = clamp((radius - length(place - cell)) / (2.0 * edge) + 0.5, 0.0, 1.0);
    return cover * step(0.004, share);
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    // The usual screen angles, 30 degrees apart for the strong inks, which avoids moiré.
    vec3 paper = vec3(1.0) - vec3(dotOfInk(0, 15.0), dotOfInk(1, 75.0), dotOfInk(2, 0.0));
    paper *= 1.0 - dotOfInk(3, 45.0);
    gl_FragColor = vec4(mix(source.rgb, paper, amount), source.a);
}
