/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Sharpens with an unsharp mask",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 0.6, "MIN": 0.0, "MAX": 3.0, "IDENTITY": 0.0 },
        { "NAME": "radius", "LABEL": "Radius (px)", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.5, "MAX": 4.0 },
        { "NAME": "threshold", "LABEL": "Threshold", "TYPE": "float",
          "DEFAULT": 0.01, "MIN": 0.0, "MAX": 0.2 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// An unsharp mask: the difference from a blurred copy is added. It works on R'G'B', where halos on
// the dark and on the bright side of an edge are equally visible.

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    // Nine samples of a bell curve with weights 4, 2 and 1. Up to a distance of one pixel, four
    // samples between pixels with a linear filter have the same result.
    int side = radius > 1.0 ? 3 : 2;
    vec4 sum = vec4(0.0);
    for (int i = 0; i < side * side; i++) {
        vec2 place = vec2(i % side, i / side) - 0.5 * float(side - 1);
        float weight = (2.0 - abs(place.x)) * (2.0 - abs(place.y));
        vec3 color = IMG_PIXEL(inputImage, gl_FragCoord.xy + radius * place).rgb;
        sum += weight * vec4(color, 1.0);
    }
    vec3 detail = source.rgb - sum.rgb / sum.a;
    // Only luma is sharpened, so edges keep their hue. Differences below the threshold are noise.
    float change = dot(detail, vec3(0.2126, 0.7152, 0.0722));
    change *= smoothstep(threshold * 0.5, threshold + 0.0001, abs(change));
    gl_FragColor = vec4(source.rgb + amount * change, source.a);
}
