/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Overlays a spectrum analyzer of the audio",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Audio"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "sound", "LABEL": "Audio", "TYPE": "audioFFT" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "bars", "LABEL": "Bars", "TYPE": "float",
          "DEFAULT": 32.0, "MIN": 4.0, "MAX": 128.0 },
        { "NAME": "height", "LABEL": "Height (fraction of frame)", "TYPE": "float",
          "DEFAULT": 0.3, "MIN": 0.05, "MAX": 1.0 },
        { "NAME": "tone", "LABEL": "Colour", "TYPE": "color", "DEFAULT": [0.2, 0.8, 1.0, 0.9] }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Each bar shows the loudest frequency of its band. Without audio there are no bars.

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    float count = max(floor(bars), 1.0);
    float bar = floor(isf_FragNormCoord.x * count);
    // Octaves have equal widths, as in hearing. There are nine, up to half the sample rate.
    float low = exp2(9.0 * (bar / count - 1.0));
    float high = exp2(9.0 * ((bar + 1.0) / count - 1.0));
    float level = 0.0;
    for (int i = 0; i < 4; i++) {
        float place = mix(low, high, (float(i) + 0.5) / 4.0);
        level = max(level, IMG_NORM_PIXEL(sound, vec2(place, 0.5)).r);
    }
    float top = height * clamp(level, 0.0, 1.0);
    float isBar = step(0.1, fract(isf_FragNormCoord.x * count)) * step(isf_FragNormCoord.y, top);
    float cover = isBar * tone.a * amount * step(0.001, top);
    gl_FragColor = vec4(mix(source.rgb, tone.rgb, cover), max(source.a, cover));
}
