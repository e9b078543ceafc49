/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Contrast, brightness, gamma and saturation as a player has them",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Colour"],
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "contrast", "LABEL": "Contrast", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -1.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "brightness", "LABEL": "Brightness", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -1.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "gamma", "LABEL": "Gamma", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -1.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "saturation", "LABEL": "Saturation", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -1.0, "MAX": 1.0, "IDENTITY": 0.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// The knobs of a television, on the numbers of the signal as those are: contrast multiplies, so that
// black stays black; brightness adds; saturation scales the distance from grey, by the luma of
// BT.709; gamma is 8 to the power of the knob, so that half way either way is about 2.8 or its inverse.

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    vec3 color = source.rgb;
    float luma = dot(color, vec3(0.2126, 0.7152, 0.0722));
    color = mix(vec3(luma), color, 1.0 + saturation);
    color = color * (1.0 + contrast) + brightness;
    color = pow(clamp(color, 0.0, 1.0), vec3(exp2(-3.0 * gamma)));
    gl_FragColor = vec4(color, source.a);
}
