/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Adjusts contrast, brightness, gamma, saturation and hue",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Colour"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque", "RANGE": "any" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "contrast", "LABEL": "Contrast", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -1.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "brightness", "LABEL": "Brightness", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -1.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "gamma", "LABEL": "Gamma", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -1.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "saturation", "LABEL": "Saturation", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -1.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "hue", "LABEL": "Hue", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -1.0, "MAX": 1.0, "IDENTITY": 0.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// The controls of a television, applied to R'G'B': contrast multiplies, so that black stays black;
// brightness adds; saturation scales the distance from grey, by the luma of BT.709; gamma is 8 to
// the power of the control, so the middle of either half is about 2.8 or its inverse; hue rotates
// the colour differences, by half the circle at either end.

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    vec3 color = source.rgb;
    float luma = dot(color, vec3(0.2126, 0.7152, 0.0722));
    // Cb and Cr of BT.709: (B - Y) / 1.8556 and (R - Y) / 1.5748. Green follows from luma.
    vec2 difference = vec2(color.b - luma, color.r - luma) / vec2(1.8556, 1.5748);
    float angle = 3.14159265 * hue;
    difference = (1.0 + saturation) * vec2(
        cos(angle) * difference.x - sin(angle) * difference.y,
        sin(angle) * difference.x + cos(angle) * difference.y);
    color.rb = luma + difference.yx * vec2(1.5748, 1.8556);
    color.g = (luma - 0.2126 * color.r - 0.0722 * color.b) / 0.7152;
    color = color * (1.0 + contrast) + brightness;
    color = pow(clamp(color, 0.0, 1.0), vec3(exp2(-3.0 * gamma)));
    gl_FragColor = vec4(color, source.a);
}
