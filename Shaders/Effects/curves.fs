/*{
    "ISFVSN": "2",
    "DESCRIPTION": "A curve through five points, from black to white",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Colour"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque", "RANGE": "any" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "black", "LABEL": "Black", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "shadows", "LABEL": "Shadows", "TYPE": "float",
          "DEFAULT": 0.2, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.25 },
        { "NAME": "middle", "LABEL": "Middle", "TYPE": "float",
          "DEFAULT": 0.5, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.5 },
        { "NAME": "highlights", "LABEL": "Highlights", "TYPE": "float",
          "DEFAULT": 0.8, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.75 },
        { "NAME": "white", "LABEL": "White", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 1.0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// A monotone cubic through the points (Fritsch and Butland, 1984): between rising points it never
// falls, so no tone changes places with another, which an ordinary spline would let happen.

// The slope at a point: none at a turn, else the harmonic mean of those beside it.
float slope(float before, float after) {
    return before * after <= 0.0 ? 0.0 : 2.0 * before * after / (before + after);
}

float curve(float x) {
    float points[5] = float[5](black, shadows, middle, highlights, white);
    float place = clamp(x, 0.0, 1.0) * 4.0;
    int index = min(int(place), 3);
    float t = place - float(index);
    float here = points[index + 1] - points[index];
    float before = index > 0 ? points[index] - points[max(index - 1, 0)] : here;
    float after = index < 3 ? points[min(index + 2, 4)] - points[index + 1] : here;
    float first = index > 0 ? slope(before, here) : here;
    float last = index < 3 ? slope(here, after) : here;
    // A cubic of Hermite's on an interval of 1.
    float rest = 1.0 - t;
    return points[index] * (1.0 + 2.0 * t) * rest * rest
        + points[index + 1] * t * t * (3.0 - 2.0 * t)
        + first * t * rest * rest - last * t * t * rest;
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    gl_FragColor = vec4(curve(source.r), curve(source.g), curve(source.b), source.a);
}
