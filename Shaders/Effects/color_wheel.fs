/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Generates a wheel of all hues, with chroma growing towards its edge",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Generator"],
    "INPUTS": [
        { "NAME": "lightness", "LABEL": "Lightness", "TYPE": "float",
          "DEFAULT": 0.72, "MIN": 0.0, "MAX": 1.0 },
        { "NAME": "purity", "LABEL": "Chroma at the edge", "TYPE": "float",
          "DEFAULT": 0.16, "MIN": 0.0, "MAX": 0.32 },
        { "NAME": "hole", "LABEL": "Hole (fraction of radius)", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": 0.0, "MAX": 1.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Hue and chroma are those of Oklab (B. Ottosson, "A perceptual color space for image processing",
// 2020), as in hue_curve, so hues of equal lightness look equally light. Hue 0 is on the right, and
// hues increase anticlockwise. Colours outside BT.709 are shown as pure as possible.

const mat3 toCones = mat3(1.0, 1.0, 1.0, 0.3963377774, -0.1055613458, -0.0894841775, 0.2158037573,
    -0.0638541728, -1.2914855480);
const mat3 toLinear = mat3(4.0767416621, -1.2684380046, -0.0041960863, -3.3077115913, 2.6097574011,
    -0.7034186147, 0.2309699292, -0.3413193965, 1.7076147010);

vec3 light(float hue, float chroma) {
    vec3 cones = toCones * vec3(lightness, chroma * cos(hue), chroma * sin(hue));
    return toLinear * (cones * cones * cones);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - RENDERSIZE) / min(RENDERSIZE.x, RENDERSIZE.y);
    float radius = length(p), pixel = 2.0 / min(RENDERSIZE.x, RENDERSIZE.y);
    float hue = atan(p.y, p.x), chroma = purity * min(radius, 1.0);
    vec3 color = light(hue, chroma);
    // Bisection finds the greatest chroma that is inside the gamut.
    float low = 0.0, high = chroma;
    for (int i = 0; i < 10; i++) {
        float middle = 0.5 * (low + high);
        vec3 seen = light(hue, middle);
        bool isShown = min(seen.r, min(seen.g, seen.b)) >= 0.0
            && max(seen.r, max(seen.g, seen.b)) <= 1.0;
        if (isShown) low = middle; else high = middle;
    }
    if (low < 0.99 * chroma) color = light(hue, low);
    color = clamp(color, 0.0, 1.0);
    color = mix(color * 12.92, 1.055 * pow(color, vec3(1.0 / 2.4)) - 0.055,
        step(0.0031308, color));
    float disc = clamp((1.0 - radius) / pixel + 0.5, 0.0, 1.0)
        * (hole > 0.0 ? clamp((radius - hole) / pixel + 0.5, 0.0, 1.0) : 1.0);
    gl_FragColor = vec4(color, disc);
}
