/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Generates a gradient between two colours",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Generator"],
    "INPUTS": [
        { "NAME": "first", "LABEL": "First colour", "TYPE": "color",
          "DEFAULT": [0.10, 0.13, 0.32, 1.0] },
        { "NAME": "second", "LABEL": "Second colour", "TYPE": "color",
          "DEFAULT": [0.98, 0.58, 0.40, 1.0] },
        { "NAME": "angle", "LABEL": "Angle (degrees)", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -180.0, "MAX": 180.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// At an angle of 0 the gradient runs from top to bottom. Other angles rotate it clockwise, and it
// reaches from corner to corner.
// Noise of one level hides the steps of slow gradients.

float grain(vec2 place) { return fract(sin(dot(place, vec2(12.9898, 78.233))) * 43758.5453); }

void main() {
    vec2 way = vec2(sin(radians(angle)), -cos(radians(angle)));
    vec2 size = RENDERSIZE / RENDERSIZE.y;
    vec2 place = (isf_FragNormCoord - 0.5) * size;
    float reach = 0.5 * dot(abs(way), size);
    float share = clamp(0.5 + 0.5 * dot(place, way) / reach, 0.0, 1.0);
    gl_FragColor = mix(first, second, share);
    gl_FragColor.rgb += (grain(gl_FragCoord.xy) - 0.5) / 255.0 * gl_FragColor.a;
}
