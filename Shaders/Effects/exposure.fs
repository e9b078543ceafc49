/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Makes the picture lighter or darker as a camera would",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Colour"],
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "stops", "LABEL": "Stops", "TYPE": "float",
          "DEFAULT": 0.5, "MIN": -4.0, "MAX": 4.0, "IDENTITY": 0.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// A stop doubles the light, so the multiplication happens in light: of the numbers themselves it
// would also change contrast and hue. The curve is that of sRGB, IEC 61966-2-1:1999.

vec3 toLight(vec3 c) {
    return mix(c / 12.92, pow(max((c + 0.055) / 1.055, 0.0), vec3(2.4)), step(0.04045, c));
}

vec3 fromLight(vec3 l) {
    return mix(l * 12.92, 1.055 * pow(max(l, 0.0), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, l));
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    gl_FragColor = vec4(fromLight(toLight(source.rgb) * exp2(stops)), source.a);
}
