/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Adjusts hue, saturation and lightness by hue range",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Colour"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque", "RANGE": "any" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "redHue", "LABEL": "Red: hue", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -60.0, "MAX": 60.0, "IDENTITY": 0.0, "GROUP": "Red" },
        { "NAME": "redSaturation", "LABEL": "Red: saturation", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 3.0, "IDENTITY": 1.0, "GROUP": "Red" },
        { "NAME": "redLightness", "LABEL": "Red: lightness", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -0.3, "MAX": 0.3, "IDENTITY": 0.0, "GROUP": "Red" },
        { "NAME": "yellowHue", "LABEL": "Yellow: hue", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -60.0, "MAX": 60.0, "IDENTITY": 0.0, "GROUP": "Yellow" },
        { "NAME": "yellowSaturation", "LABEL": "Yellow: saturation", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 3.0, "IDENTITY": 1.0, "GROUP": "Yellow" },
        { "NAME": "yellowLightness", "LABEL": "Yellow: lightness", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -0.3, "MAX": 0.3, "IDENTITY": 0.0, "GROUP": "Yellow" },
        { "NAME": "greenHue", "LABEL": "Green: hue", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -60.0, "MAX": 60.0, "IDENTITY": 0.0, "GROUP": "Green" },
        { "NAME": "greenSaturation", "LABEL": "Green: saturation", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 3.0, "IDENTITY": 1.0, "GROUP": "Green" },
        { "NAME": "greenLightness", "LABEL": "Green: lightness", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -0.3, "MAX": 0.3, "IDENTITY": 0.0, "GROUP": "Green" },
        { "NAME": "cyanHue", "LABEL": "Cyan: hue", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -60.0, "MAX": 60.0, "IDENTITY": 0.0, "GROUP": "Cyan" },
        { "NAME": "cyanSaturation", "LABEL": "Cyan: saturation", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 3.0, "IDENTITY": 1.0, "GROUP": "Cyan" },
        { "NAME": "cyanLightness", "LABEL": "Cyan: lightness", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -0.3, "MAX": 0.3, "IDENTITY": 0.0, "GROUP": "Cyan" },
        { "NAME": "blueHue", "LABEL": "Blue: hue", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -60.0, "MAX": 60.0, "IDENTITY": 0.0, "GROUP": "Blue" },
        { "NAME": "blueSaturation", "LABEL": "Blue: saturation", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 3.0, "IDENTITY": 1.0, "GROUP": "Blue" },
        { "NAME": "blueLightness", "LABEL": "Blue: lightness", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -0.3, "MAX": 0.3, "IDENTITY": 0.0, "GROUP": "Blue" },
        { "NAME": "magentaHue", "LABEL": "Magenta: hue", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -60.0, "MAX": 60.0, "IDENTITY": 0.0, "GROUP": "Magenta" },
        { "NAME": "magentaSaturation", "LABEL": "Magenta: saturation", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 3.0, "IDENTITY": 1.0, "GROUP": "Magenta" },
        { "NAME": "magentaLightness", "LABEL": "Magenta: lightness", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -0.3, "MAX": 0.3, "IDENTITY": 0.0, "GROUP": "Magenta" }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// In Oklab, a change of hue preserves perceived lightness. In HSL it does not: blue changed to
// yellow would be much brighter.

vec3 toLight(vec3 c) {
    return mix(c / 12.92, pow(max((c + 0.055) / 1.055, 0.0), vec3(2.4)), step(0.04045, c));
}

vec3 fromLight(vec3 l) {
    return mix(l * 12.92, 1.055 * pow(max(l, 0.0), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, l));
}

// Oklab: B. Ottosson, "A perceptual color space for image processing", 2020; in columns.
const mat3 cones = mat3(0.4122214708, 0.2119034982, 0.0883024619, 0.5363325363, 0.6806995451,
    0.2817188376, 0.0514459929, 0.1073969566, 0.6299787005);
const mat3 lab = mat3(0.2104542553, 1.9779984951, 0.0259040371, 0.7936177850, -2.4285922050,
    0.7827717662, -0.0040720468, 0.4505937099, -0.8086757660);

// The hues of the handles: those of BT.709's primaries and secondaries in Oklab, in degrees.
const float places[6] = float[6](29.23, 109.77, 142.50, 194.77, 264.05, 328.36);

// The interpolated value of the handles at a hue: periodic Hermite cubics, so the curve is smooth
// all around the circle.
vec3 wanted(float hue) {
    vec3 handles[6] = vec3[6](
        vec3(redHue, redSaturation, redLightness),
        vec3(yellowHue, yellowSaturation, yellowLightness),
        vec3(greenHue, greenSaturation, greenLightness),
        vec3(cyanHue, cyanSaturation, cyanLightness),
        vec3(blueHue, blueSaturation, blueLightness),
        vec3(magentaHue, magentaSaturation, magentaLightness));
    vec3 slopes[6];
    float widths[6];
    for (int i = 0; i < 6; i++) {
        int next = (i + 1) % 6, before = (i + 5) % 6;
        widths[i] = mod(places[next] - places[i] + 360.0, 360.0);
        slopes[i] = (handles[next] - handles[before])
            / mod(places[next] - places[before] + 360.0, 360.0);
    }
    // The last segment that begins below the hue. Without one, the segment that contains 0.
    vec3 start = handles[5], end = handles[0], first = slopes[5], last = slopes[0];
    float place = places[5], width = widths[5];
    for (int i = 0; i < 6; i++) {
        if (hue >= places[i]) {
            start = handles[i];
            end = handles[(i + 1) % 6];
            first = slopes[i];
            last = slopes[(i + 1) % 6];
            place = places[i];
            width = widths[i];
        }
    }
    float t = mod(hue - place + 360.0, 360.0) / width;
    float rest = 1.0 - t;
    return start * (1.0 + 2.0 * t) * rest * rest + end * t * t * (3.0 - 2.0 * t)
        + width * (first * t * rest * rest - last * t * t * rest);
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    vec3 response = cones * toLight(source.rgb);
    vec3 color = lab * (sign(response) * pow(abs(response), vec3(1.0 / 3.0)));
    float chroma = length(color.yz);
    // The hue of grey is undefined and has no effect.
    float hue = chroma < 0.0001 ? 0.0 : mod(degrees(atan(color.z, color.y)) + 360.0, 360.0);
    vec3 change = wanted(hue);
    // Grey has no hue, so colours close to grey keep their lightness.
    float lightness = color.x + change.z * smoothstep(0.0, 0.1, chroma);
    float angle = radians(hue + change.x);
    color = vec3(lightness, chroma * max(change.y, 0.0) * vec2(cos(angle), sin(angle)));
    response = inverse(lab) * color;
    gl_FragColor = vec4(fromLight(inverse(cones) * (response * response * response)), source.a);
}
