/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Makes the picture lighter or darker as a camera would",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Colour"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque", "RANGE": "any" },
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
//
// Where a sample lies on the curve's power before and after, (c + 0.055) / 1.055 is multiplied by the
// gain's root, and where it lies on its straight part, c by the gain. Powers are left for what goes from
// the one to the other: down when it gets darker, else up.

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    float gain = exp2(stops);
    vec3 power = (source.rgb + 0.055) * exp2(stops / 2.4) - 0.055;
    vec3 straight = source.rgb * gain;
    vec3 isPower = step(0.04045, source.rgb);
    vec3 color;
    if (stops > 0.0) {
        vec3 up = 1.055 * pow(max(straight / 12.92, 0.0), vec3(1.0 / 2.4)) - 0.055;
        color = mix(mix(straight, up, step(0.04045, straight)), power, isPower);
    } else {
        vec3 down = 12.92 * gain * pow(max((source.rgb + 0.055) / 1.055, 0.0), vec3(2.4));
        color = mix(straight, mix(down, power, step(0.04045, power)), isPower);
    }
    gl_FragColor = vec4(color, source.a);
}
