/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Applies a tone curve through five points",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Colour"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque", "RANGE": "any" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "black", "LABEL": "Black", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "shadows", "LABEL": "Shadows", "TYPE": "float",
          "DEFAULT": 0.2, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.25 },
        { "NAME": "middle", "LABEL": "Midtones", "TYPE": "float",
          "DEFAULT": 0.5, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.5 },
        { "NAME": "highlights", "LABEL": "Highlights", "TYPE": "float",
          "DEFAULT": 0.8, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.75 },
        { "NAME": "white", "LABEL": "White", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 1.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// A monotone cubic through the points (Fritsch and Butland, 1984). Unlike an ordinary spline, it
// never falls between rising points, so tones keep their order.

// The slope at a point: 0 at an extremum, otherwise the harmonic mean of the slopes beside it.
float slope(float before, float after) {
    return before * after <= 0.0 ? 0.0 : 2.0 * before * after / (before + after);
}

// The coefficients of the cubic between two points at a distance of 1 with given slopes, the
// highest power first.
vec4 cubic(float first, float last, float slopeAtFirst, float slopeAtLast) {
    float rise = last - first;
    return vec4(slopeAtFirst + slopeAtLast - 2.0 * rise,
        3.0 * rise - 2.0 * slopeAtFirst - slopeAtLast, slopeAtFirst, first);
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    float a = shadows - black, b = middle - shadows, c = highlights - middle, d = white - highlights;
    float atShadows = slope(a, b), atMiddle = slope(b, c), atHighlights = slope(c, d);
    vec4 cubics[4] = vec4[4](cubic(black, shadows, a, atShadows),
        cubic(shadows, middle, atShadows, atMiddle), cubic(middle, highlights, atMiddle, atHighlights),
        cubic(highlights, white, atHighlights, d));
    vec3 place = clamp(source.rgb, 0.0, 1.0) * 4.0;
    // For each channel, the last cubic that begins below it.
    vec3 x = cubics[0].xxx, y = cubics[0].yyy, z = cubics[0].zzz, w = cubics[0].www;
    for (int i = 1; i < 4; i++) {
        vec3 isAbove = step(float(i), place);
        x = mix(x, cubics[i].xxx, isAbove);
        y = mix(y, cubics[i].yyy, isAbove);
        z = mix(z, cubics[i].zzz, isAbove);
        w = mix(w, cubics[i].www, isAbove);
    }
    vec3 t = place - min(floor(place), 3.0);
    gl_FragColor = vec4(((x * t + y) * t + z) * t + w, source.a);
}
