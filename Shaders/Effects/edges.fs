/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Draws the edges in the picture",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "strength", "LABEL": "Strength", "TYPE": "float",
          "DEFAULT": 2.0, "MIN": 0.1, "MAX": 8.0 },
        { "NAME": "ink", "LABEL": "Lines", "TYPE": "color", "DEFAULT": [1.0, 1.0, 1.0, 1.0] },
        { "NAME": "ground", "LABEL": "Ground", "TYPE": "color", "DEFAULT": [0.0, 0.0, 0.0, 1.0] }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// The slope of luma by Sobel's operator (1968), a quarter of it: a step from black to white is 1
// at a strength of 1.

float luma(float x, float y) {
    vec3 color = IMG_PIXEL(inputImage, gl_FragCoord.xy + vec2(x, y)).rgb;
    return dot(color, vec3(0.2126, 0.7152, 0.0722));
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    float a = luma(-1.0, -1.0), b = luma(0.0, -1.0), c = luma(1.0, -1.0);
    float d = luma(-1.0, 0.0), e = luma(1.0, 0.0);
    float f = luma(-1.0, 1.0), g = luma(0.0, 1.0), h = luma(1.0, 1.0);
    vec2 slope = vec2(c + 2.0 * e + h - a - 2.0 * d - f, f + 2.0 * g + h - a - 2.0 * b - c);
    float edge = clamp(strength * length(slope) * 0.25, 0.0, 1.0);
    vec4 drawn = mix(ground, ink, edge);
    gl_FragColor = mix(source, vec4(drawn.rgb, drawn.a * source.a), amount);
}
