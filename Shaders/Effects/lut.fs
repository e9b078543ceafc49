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
// The row of squares is how games and grading tools exchange tables as pictures; any number of
// levels does. Without a table the picture stays.

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    // A table of n levels an axis is n squares of n x n in a row: red goes right in each, green
    // down, blue from square to square.
    float n = IMG_SIZE(table).y;
    if (n < 2.0 || amount == 0.0) {
        gl_FragColor = source;
        return;
    }
    vec3 place = clamp(source.rgb, 0.0, 1.0) * (n - 1.0);
    float square = min(floor(place.b), n - 2.0);
    vec2 texel = vec2(place.r + 0.5, n - 0.5 - place.g);
    // The picture's own filter mixes in two axes; the third is ours.
    vec3 below = IMG_PIXEL(table, texel + vec2(square * n, 0.0)).rgb;
    vec3 above = IMG_PIXEL(table, texel + vec2((square + 1.0) * n, 0.0)).rgb;
    vec3 color = mix(below, above, place.b - square);
    gl_FragColor = vec4(mix(source.rgb, color, amount), source.a);
}
