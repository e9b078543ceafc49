/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Blends in earlier frames that drift and grow",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Feedback"],
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 0.85, "MIN": 0.0, "MAX": 0.99, "IDENTITY": 0.0 },
        { "NAME": "drift", "LABEL": "Drift", "TYPE": "float",
          "DEFAULT": 0.5, "MIN": 0.0, "MAX": 2.0 },
        { "NAME": "zoom", "LABEL": "Zoom", "TYPE": "float",
          "DEFAULT": 1.005, "MIN": 0.95, "MAX": 1.05 },
        { "NAME": "clear", "LABEL": "Clear", "TYPE": "event" }
    ],
    "PASSES": [
        { "TARGET": "past", "PERSISTENT": true, "FLOAT": true },
        {}
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// The look of a decoder that has lost a keyframe: the motion of the new video applied to the old
// frame. The history is stored in floats, because with 8 bits it would never fade completely.

void main() {
    if (PASSINDEX == 1) {
        gl_FragColor = IMG_THIS_PIXEL(past);
        return;
    }
    vec4 source = IMG_THIS_PIXEL(inputImage);
    if (clear || FRAMEINDEX == 0) {
        gl_FragColor = source;
        return;
    }
    // Where the frame differs from the history, the history is moved along its gradient. This
    // approximates motion vectors, which broken video applies to the wrong frame.
    vec3 luma = vec3(0.2126, 0.7152, 0.0722);
    float right = dot(IMG_PIXEL(inputImage, gl_FragCoord.xy + vec2(1.0, 0.0)).rgb, luma);
    float up = dot(IMG_PIXEL(inputImage, gl_FragCoord.xy + vec2(0.0, 1.0)).rgb, luma);
    float here = dot(source.rgb, luma);
    float change = here - dot(IMG_THIS_PIXEL(past).rgb, luma);
    vec2 push = -0.5 * drift * change * vec2(right - here, up - here);
    vec2 place = (isf_FragNormCoord - 0.5) / max(zoom, 0.1) + 0.5 + push;
    gl_FragColor = mix(source, IMG_NORM_PIXEL(past, place), amount);
}
