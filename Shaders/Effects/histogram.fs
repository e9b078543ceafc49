/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Overlays a histogram",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Scope"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "size", "LABEL": "Size (fraction of frame)", "TYPE": "float",
          "DEFAULT": 0.35, "MIN": 0.1, "MAX": 1.0 }
    ],
    "PASSES": [
        { "TARGET": "counts", "FLOAT": true, "WIDTH": "64", "HEIGHT": "1" },
        {}
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// The frequency of each level of R', G' and B', in 64 steps. The overlap of all three is white.

const int columns = 80;
const int rows = 45;

void main() {
    if (PASSINDEX == 0) {
        // Each texel is a level: the fraction of pixels with this level, from 3,600 samples.
        vec3 count = vec3(0.0);
        vec3 level = vec3(isf_FragNormCoord.x);
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < columns; x++) {
                vec2 at = (vec2(x, y) + 0.5) / vec2(columns, rows);
                vec3 color = IMG_NORM_PIXEL(inputImage, at).rgb;
                count += step(abs(color - level), vec3(0.5 / 64.0));
            }
        }
        gl_FragColor = vec4(count / float(columns * rows), 1.0);
        return;
    }
    vec4 source = IMG_THIS_PIXEL(inputImage);
    vec2 place = isf_FragNormCoord / max(size, 0.01);
    if (place.x > 1.0 || place.y > 1.0) {
        gl_FragColor = source;
        return;
    }
    // The square root of the fraction makes rare levels visible too.
    vec3 share = sqrt(IMG_NORM_PIXEL(counts, vec2(place.x, 0.5)).rgb * 4.0);
    vec3 scope = source.rgb * 0.2 + 0.8 * step(vec3(place.y), share);
    gl_FragColor = vec4(mix(source.rgb, scope, amount), max(source.a, amount));
}
