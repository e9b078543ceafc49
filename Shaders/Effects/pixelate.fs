/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Pixelates the frame",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "size", "LABEL": "Square size (px)", "TYPE": "float",
          "DEFAULT": 16.0, "MIN": 1.0, "MAX": 128.0, "IDENTITY": 1.0 }
    ],
    "PASSES": [
        { "TARGET": "squares", "WIDTH": "2 * ceil((0.5 * $WIDTH + 1) / max(1, $size))",
          "HEIGHT": "2 * ceil((0.5 * $HEIGHT + 1) / max(1, $size))" },
        {}
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// A mosaic. At a size of one pixel the image is unchanged. First, a small image with one pixel for
// each square is drawn, so that each colour is computed once.

void main() {
    // Squares are counted from the centre, so that they do not move there when their size changes.
    if (PASSINDEX == 0) {
        vec2 corner = (floor(gl_FragCoord.xy) - 0.5 * RENDERSIZE) * size
            + floor(0.5 * IMG_SIZE(inputImage));
        // The mean of sixteen points in the square. A single point would flicker.
        vec4 sum = vec4(0.0);
        for (int y = 0; y < 4; y++) {
            for (int x = 0; x < 4; x++) {
                sum += IMG_PIXEL(inputImage, corner + size * (vec2(x, y) + 0.5) / 4.0);
            }
        }
        gl_FragColor = sum / 16.0;
    } else if (size < 1.5) {
        gl_FragColor = IMG_THIS_PIXEL(inputImage);
    } else {
        vec2 square = floor((gl_FragCoord.xy - floor(0.5 * RENDERSIZE)) / size);
        gl_FragColor = IMG_PIXEL(squares, square + 0.5 * IMG_SIZE(squares) + 0.5);
    }
}
