/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Adjusts exposure in stops",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Colour"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque", "RANGE": "any" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "stops", "LABEL": "Exposure (stops)", "TYPE": "float",
          "DEFAULT": 0.5, "MIN": -4.0, "MAX": 4.0, "IDENTITY": 0.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// A stop doubles the light, so light is multiplied. Multiplying R'G'B' would also change contrast
// and hue. The curve is that of sRGB, IEC 61966-2-1:1999.
//
// If a value is on the power part of the curve before and after, (c + 0.055) / 1.055 is multiplied
// by a root of the gain; if it is on the linear part, c is multiplied by the gain. Values that move
// from one part to the other would need a power, which takes as long as all the rest on software
// OpenGL. Polynomials approximate it to 0.0002 for up to eight stops, twice the range.

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    float most = clamp(stops, -8.0, 8.0);
    float gain = exp2(most);
    vec3 power = (source.rgb + 0.055) * exp2(most / 2.4) - 0.055;
    vec3 straight = source.rgb * gain;
    vec3 isPower = step(0.04045, source.rgb);
    vec3 color;
    if (most > 0.0) {
        // 1.055 * pow(x, 4.0 / 2.4) - 0.055
        vec3 x = sqrt(sqrt(max(straight / 12.92, 0.0)));
        vec3 up = -0.07092295 + x * (0.25001781 + x * (0.96447938 - x * 0.14425721));
        color = mix(mix(straight, up, step(0.04045, straight)), power, isPower);
    } else {
        // gain * 12.92 * pow(x, 2.4)
        vec3 x = (source.rgb + 0.055) / 1.055;
        vec3 down = gain * (0.00931752
            + x * (-0.29738024 + x * (6.2635807 + x * (9.4328786 - x * 2.5414784))));
        color = mix(straight, mix(down, power, step(0.04045, power)), isPower);
    }
    gl_FragColor = vec4(color, source.a);
}
