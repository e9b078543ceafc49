/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Makes edges stand out, by an unsharp mask",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 0.6, "MIN": 0.0, "MAX": 3.0, "IDENTITY": 0.0 },
        { "NAME": "radius", "LABEL": "Radius in pixels", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.5, "MAX": 4.0 },
        { "NAME": "threshold", "LABEL": "Leave alone below", "TYPE": "float",
          "DEFAULT": 0.01, "MIN": 0.0, "MAX": 0.2 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// What a blurred copy lacks is what is added. It works on R'G'B', where halos on the dark and on
// the bright side of an edge are equally visible.

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    // Nine samples of a bell: weights 4, 2 and 1.
    vec3 blurred = source.rgb * 4.0;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            if (x == 0 && y == 0) continue;
            float weight = x == 0 || y == 0 ? 2.0 : 1.0;
            blurred += weight * IMG_PIXEL(inputImage, gl_FragCoord.xy + radius * vec2(x, y)).rgb;
        }
    }
    vec3 detail = source.rgb - blurred / 16.0;
    // In luma alone: colours keep their hue at edges. Noise is smaller than the threshold.
    float change = dot(detail, vec3(0.2126, 0.7152, 0.0722));
    change *= smoothstep(threshold * 0.5, threshold + 0.0001, abs(change));
    gl_FragColor = vec4(source.rgb + amount * change, source.a);
}
