/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Generates a checkerboard, for judging transparency",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Generator"],
    "PLAYHEAD": { "ALPHA": "premultiplied" },
    "INPUTS": [
        { "NAME": "size", "LABEL": "Square size (px)", "TYPE": "float",
          "DEFAULT": 16.0, "MIN": 1.0, "MAX": 256.0 },
        { "NAME": "dark", "LABEL": "Dark squares", "TYPE": "color",
          "DEFAULT": [0.4, 0.4, 0.4, 1.0] },
        { "NAME": "light", "LABEL": "Light squares", "TYPE": "color",
          "DEFAULT": [0.6, 0.6, 0.6, 1.0] }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Squares are counted from the upper left corner, which does not move when a window is resized.

void main() {
    vec2 fromTopLeft = vec2(gl_FragCoord.x, RENDERSIZE.y - gl_FragCoord.y);
    vec2 square = floor(fromTopLeft / max(size, 1.0));
    vec4 color = mod(square.x + square.y, 2.0) < 0.5 ? light : dark;
#ifdef PLAYHEAD
    color.rgb *= color.a;
#endif
    gl_FragColor = color;
}
