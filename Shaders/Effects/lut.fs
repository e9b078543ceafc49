/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Applies a LUT stored in an image",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Colour"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "table", "LABEL": "LUT (row of squares)", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Games and grading tools exchange LUTs as images with a row of squares. Any number of levels is
// supported. Without a LUT, the image is unchanged.

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    // A LUT with n levels on each axis is a row of n squares of n x n: red increases to the right
    // in each, green downwards, blue from square to square.
    float n = IMG_SIZE(table).y;
    if (n < 2.0 || amount == 0.0) {
        gl_FragColor = source;
        return;
    }
    vec3 place = clamp(source.rgb, 0.0, 1.0) * (n - 1.0);
    float square = min(floor(place.b), n - 2.0);
    vec2 texel = vec2(place.r + 0.5, n - 0.5 - place.g);
    // The image's own filter interpolates two axes; the third is interpolated here.
    vec3 below = IMG_PIXEL(table, texel + vec2(square * n, 0.0)).rgb;
    vec3 above = IMG_PIXEL(table, texel + vec2((square + 1.0) * n, 0.0)).rgb;
    vec3 color = mix(below, above, place.b - square);
    gl_FragColor = vec4(mix(source.rgb, color, amount), source.a);
}
