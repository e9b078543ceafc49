/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Detects edges and draws them as lines",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "strength", "LABEL": "Strength", "TYPE": "float",
          "DEFAULT": 2.0, "MIN": 0.1, "MAX": 8.0 },
        { "NAME": "ink", "LABEL": "Line colour", "TYPE": "color", "DEFAULT": [1.0, 1.0, 1.0, 1.0] },
        { "NAME": "ground", "LABEL": "Background colour", "TYPE": "color", "DEFAULT": [0.0, 0.0, 0.0, 1.0] }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// The gradient of luma by Sobel's operator (1968), divided by four: a step from black to white is 1
// at a strength of 1. Means of four pixels, which a linear filter returns between them, have its
// weights, so four samples are enough instead of eight.

vec3 corner(float x, float y) {
    return IMG_PIXEL(inputImage, gl_FragCoord.xy + vec2(x, y)).rgb;
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    vec3 a = corner(-0.5, -0.5), b = corner(0.5, -0.5);
    vec3 c = corner(-0.5, 0.5), d = corner(0.5, 0.5);
    const vec3 luma = vec3(0.2126, 0.7152, 0.0722);
    vec2 slope = vec2(dot(b + d - a - c, luma), dot(c + d - a - b, luma));
    float edge = clamp(strength * length(slope), 0.0, 1.0);
    vec4 drawn = mix(ground, ink, edge);
    gl_FragColor = mix(source, vec4(drawn.rgb, drawn.a * source.a), amount);
}
