/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Makes squares of the picture",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "size", "LABEL": "Square in pixels", "TYPE": "float",
          "DEFAULT": 16.0, "MIN": 1.0, "MAX": 128.0, "IDENTITY": 1.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// What television calls a mosaic. A square of one pixel is the picture itself.

void main() {
    if (size < 1.5) {
        gl_FragColor = IMG_THIS_PIXEL(inputImage);
        return;
    }
    // Counted from the middle, so that squares keep still there when their size changes.
    vec2 middle = floor(0.5 * RENDERSIZE);
    vec2 corner = floor((gl_FragCoord.xy - middle) / size) * size + middle;
    // The mean of sixteen places in the square: one place alone would flicker.
    vec4 sum = vec4(0.0);
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 4; x++) {
            sum += IMG_PIXEL(inputImage, corner + size * (vec2(x, y) + 0.5) / 4.0);
        }
    }
    gl_FragColor = sum / 16.0;
}
