/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Overlays a waveform monitor",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Scope"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "size", "LABEL": "Size (fraction of frame)", "TYPE": "float",
          "DEFAULT": 0.4, "MIN": 0.1, "MAX": 1.0 },
        { "NAME": "gain", "LABEL": "Brightness", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.1, "MAX": 4.0 }
    ],
    "PASSES": [
        { "TARGET": "counts", "FLOAT": true, "WIDTH": "256", "HEIGHT": "128" },
        {}
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Levels by columns, as on an oscilloscope that is triggered by lines. Shaders cannot scatter
// writes, so each pixel of the scope counts the video's pixels that belong to it, in a small image
// of its own.

const int rows = 54;

void main() {
    if (PASSINDEX == 0) {
        // For each column, the number of pixels that have this level of R', G' and B'.
        vec3 level = vec3(isf_FragNormCoord.y * 1.1 - 0.05);
        vec3 count = vec3(0.0);
        for (int i = 0; i < rows; i++) {
            vec2 place = vec2(isf_FragNormCoord.x, (float(i) + 0.5) / float(rows));
            vec3 color = IMG_NORM_PIXEL(inputImage, place).rgb;
            count += step(abs(color - level), vec3(0.6 / RENDERSIZE.y));
        }
        gl_FragColor = vec4(count / float(rows), 1.0);
        return;
    }
    vec4 source = IMG_THIS_PIXEL(inputImage);
    vec2 place = isf_FragNormCoord / max(size, 0.01);
    if (place.x > 1.0 || place.y > 1.0) {
        gl_FragColor = source;
        return;
    }
    vec3 trace = sqrt(clamp(IMG_NORM_PIXEL(counts, place).rgb * 16.0 * gain, 0.0, 1.0));
    // Lines at 0, 25, 50, 75 and 100 percent.
    float level = (place.y * 1.1 - 0.05) * 4.0;
    float lines = 0.35 * step(abs(level - floor(level + 0.5)), 2.2 / (RENDERSIZE.y * size));
    vec3 scope = mix(source.rgb * 0.2, vec3(1.0), lines) + trace;
    gl_FragColor = vec4(mix(source.rgb, scope, amount), max(source.a, amount));
}
