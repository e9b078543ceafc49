/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Adjusts contrast, brightness and saturation",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Colour"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque", "RANGE": "any" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "contrast", "LABEL": "Contrast", "TYPE": "float",
          "DEFAULT": 1.2, "MIN": 0.0, "MAX": 3.0, "IDENTITY": 1.0 },
        { "NAME": "pivot", "LABEL": "Pivot", "TYPE": "float",
          "DEFAULT": 0.5, "MIN": 0.0, "MAX": 1.0 },
        { "NAME": "brightness", "LABEL": "Brightness", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -0.5, "MAX": 0.5, "IDENTITY": 0.0 },
        { "NAME": "saturation", "LABEL": "Saturation", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 3.0, "IDENTITY": 1.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Works on R'G'B' values, which are approximately uniform to the eye, unlike light. The
// coefficients of luma are those of BT.709, item 3.2.

const vec3 luma = vec3(0.2126, 0.7152, 0.0722);

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    // (grey + saturation * (color - grey) - pivot) * contrast + pivot + brightness, with the terms
    // combined that are the same in all channels or in all pixels.
    float gain = contrast * saturation;
    float rest = dot(source.rgb, luma) * (contrast - gain)
        + (pivot - pivot * contrast + brightness);
    gl_FragColor = vec4(source.rgb * gain + rest, source.a);
}
