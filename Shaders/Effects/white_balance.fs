/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Adjusts colour temperature and tint",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Colour"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque", "RANGE": "any" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "temperature", "LABEL": "Temperature (K)", "TYPE": "float",
          "DEFAULT": 5200.0, "MIN": 4000.0, "MAX": 12000.0, "IDENTITY": 6500.0 },
        { "NAME": "tint", "LABEL": "Tint", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -1.0, "MAX": 1.0, "IDENTITY": 0.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// A chromatic adaptation by von Kries, in Bradford's cone responses, from daylight of 6500 K to
// daylight of another temperature. Tint is perpendicular to it and reduces green.

vec3 toLight(vec3 c) {
    return mix(c / 12.92, pow(max((c + 0.055) / 1.055, 0.0), vec3(2.4)), step(0.04045, c));
}

vec3 fromLight(vec3 l) {
    return mix(l * 12.92, 1.055 * pow(max(l, 0.0), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, l));
}

// Matrices in columns: linear BT.709 to CIE XYZ (IEC 61966-2-1), and CIE XYZ to Bradford's cone
// responses (CIE 159:2004).
const mat3 xyz = mat3(0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505);
const mat3 bradford = mat3(
    0.8951, -0.7502, 0.0389, 0.2664, 1.7135, -0.0685, -0.1614, 0.0367, 1.0296);

// The chromaticity of daylight, CIE 15:2004, equations 3.3 and 3.4, as XYZ with a luminance of 1.
vec3 daylight(float kelvin) {
    float t = 1000.0 / kelvin;
    float x = kelvin <= 7000.0
        ? 0.244063 + t * (0.09911 + t * (2.9678 - t * 4.6070))
        : 0.237040 + t * (0.24748 + t * (1.9018 - t * 2.0064));
    float y = -3.0 * x * x + 2.870 * x - 0.275;
    return vec3(x / y, 1.0, (1.0 - x - y) / y);
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    // The white of the one light is mapped to the white of the other.
    vec3 gain = (bradford * daylight(temperature)) / (bradford * daylight(6500.0));
    mat3 toCones = bradford * xyz;
    vec3 light = inverse(toCones) * (gain * (toCones * toLight(source.rgb)));
    light.g *= exp2(-0.5 * tint);
    // Above 6500 K daylight is blue, below it is yellow.
    gl_FragColor = vec4(fromLight(light), source.a);
}
