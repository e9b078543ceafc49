/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Overlays a vectorscope",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Scope"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "size", "LABEL": "Size (fraction of height)", "TYPE": "float",
          "DEFAULT": 0.45, "MIN": 0.1, "MAX": 1.0 },
        { "NAME": "gain", "LABEL": "Brightness", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.1, "MAX": 4.0 }
    ],
    "PASSES": [
        { "TARGET": "counts", "FLOAT": true, "WIDTH": "64", "HEIGHT": "64" },
        {}
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Each sample is shown as a point by its chroma: blue to the right, red upwards, grey at the
// centre. 880 samples are read, the number that a shader without scattered writes can afford
// everywhere.

// Chroma of R'G'B', from -1/2 to 1/2: BT.709, item 3.3.
vec2 chroma(vec3 color) {
    float luma = dot(color, vec3(0.2126, 0.7152, 0.0722));
    return vec2(color.b - luma, color.r - luma) / vec2(1.8556, 1.5748);
}

void main() {
    if (PASSINDEX == 0) {
        vec2 place = isf_FragNormCoord - 0.5;
        float count = 0.0;
        for (int y = 0; y < 22; y++) {
            for (int x = 0; x < 40; x++) {
                vec2 at = (vec2(x, y) + 0.5) / vec2(40.0, 22.0);
                vec2 difference = chroma(IMG_NORM_PIXEL(inputImage, at).rgb) - place;
                count += exp(-dot(difference, difference) * 4000.0);
            }
        }
        gl_FragColor = vec4(count / 880.0);
        return;
    }
    vec4 source = IMG_THIS_PIXEL(inputImage);
    vec2 aspect = vec2(RENDERSIZE.x / RENDERSIZE.y, 1.0);
    vec2 place = isf_FragNormCoord * aspect / max(size, 0.01);
    if (place.x > 1.0 || place.y > 1.0) {
        gl_FragColor = source;
        return;
    }
    vec2 fromMiddle = place - 0.5;
    float width = 1.5 / (RENDERSIZE.y * max(size, 0.01));
    float circle = step(abs(length(fromMiddle) - 0.45), width);
    // The skin tone line, close to which skin of every colour lies: 123 degrees from the axis of
    // blue.
    vec2 skin = vec2(cos(radians(123.0)), sin(radians(123.0)));
    float line = step(abs(fromMiddle.x * skin.y - fromMiddle.y * skin.x), width)
        * step(0.0, dot(fromMiddle, skin)) * step(length(fromMiddle), 0.45);
    float trace = sqrt(clamp(IMG_NORM_PIXEL(counts, place).r * 24.0 * gain, 0.0, 1.0));
    vec3 scope = source.rgb * 0.2 + 0.4 * max(circle, line) + trace * vec3(0.5, 1.0, 0.6);
    gl_FragColor = vec4(mix(source.rgb, scope, amount), max(source.a, amount));
}
