/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Applies a Gaussian blur",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Blur"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "radius", "LABEL": "Radius (px)", "TYPE": "float",
          "DEFAULT": 8.0, "MIN": 0.0, "MAX": 64.0, "IDENTITY": 0.0 }
    ],
    "PASSES": [
        { "TARGET": "small", "FLOAT": true,
          "WIDTH": "ceil($WIDTH / max(1, 2 * floor($radius / 8))) + 24 * min(1, floor($radius / 8))",
          "HEIGHT": "ceil($HEIGHT / max(1, 2 * floor($radius / 8))) + 24 * min(1, floor($radius / 8))" },
        { "TARGET": "across", "FLOAT": true,
          "WIDTH": "ceil($WIDTH / max(1, 2 * floor($radius / 8))) + 24 * min(1, floor($radius / 8))",
          "HEIGHT": "ceil($HEIGHT / max(1, 2 * floor($radius / 8))) + 24 * min(1, floor($radius / 8))" },
        { "TARGET": "along", "FLOAT": true,
          "WIDTH": "ceil($WIDTH / max(1, 2 * floor($radius / 8))) + 24 * min(1, floor($radius / 8))",
          "HEIGHT": "ceil($HEIGHT / max(1, 2 * floor($radius / 8))) + 24 * min(1, floor($radius / 8))" },
        {}
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// The bell of Gauss is the same in two passes as in one: first along rows, then along columns. Its
// standard deviation is half the radius. Where that is more than a few pixels, a smaller picture
// does: all that it lacks is what the blur takes away. So no blur takes more than a few samples.

// How many pixels become one, in either direction.
float scale() { return max(1.0, 2.0 * floor(radius / 8.0)); }

// Pixels of the small picture that lie beyond the edges, where what lies at them goes on: as far as
// the blur looks.
float margin() { return scale() > 1.0 ? 12.0 : 0.0; }

// A pixel, without a filter. What is transparent has no colour to give: multiplied, then added.
vec4 pixel(vec2 place) {
#ifdef PLAYHEAD
    vec2 inside = clamp(place, vec2(0.5), IMG_SIZE(inputImage) - 0.5);
    vec4 color = texelFetch(inputImage, ivec2(inside), 0);
#else
    vec4 color = IMG_PIXEL(inputImage, place);
#endif
    return vec4(color.rgb * color.a, color.a);
}

// A pixel of the small picture is the mean of those that it stands for.
vec4 smaller() {
    int count = int(scale());
    vec2 corner = (floor(gl_FragCoord.xy) - margin()) * scale() + 0.5;
    vec4 sum = vec4(0.0);
    for (int y = 0; y < count; y++) {
        for (int x = 0; x < count; x++) sum += pixel(corner + vec2(x, y));
    }
    return sum / float(count * count);
}

// The variance in pixels of the small picture, less what making it small and large again adds: of a
// mean over a pixel that is a twelfth, of a linear filter a sixth.
float variance() {
    float sigma = 0.5 * radius / scale();
    return max(sigma * sigma - (scale() > 1.0 ? 1.0 / 12.0 + 1.0 / 6.0 : 0.0), 0.000001);
}

float weight(float distance) { return exp(-distance * distance / (2.0 * variance())); }

// Samples two at a time, from between them: a linear filter mixes them in the right proportion.
#define BLUR(image, direction) \
    float total = 1.0; \
    vec4 sum = IMG_PIXEL(image, gl_FragCoord.xy); \
    int last = int(ceil(3.0 * sqrt(variance()))); \
    for (int i = 1; i <= last; i += 2) { \
        float near = weight(float(i)), far = weight(float(i + 1)); \
        vec2 way = (float(i) + far / max(near + far, 0.000001)) * (direction); \
        sum += (near + far) * (IMG_PIXEL(image, gl_FragCoord.xy + way) \
            + IMG_PIXEL(image, gl_FragCoord.xy - way)); \
        total += 2.0 * (near + far); \
    } \
    gl_FragColor = sum / total;

void main() {
    if (PASSINDEX == 0) {
        gl_FragColor = smaller();
    } else if (PASSINDEX == 1) {
        BLUR(small, vec2(1.0, 0.0))
    } else if (PASSINDEX == 2) {
        BLUR(across, vec2(0.0, 1.0))
    } else {
        vec4 color = IMG_PIXEL(along, gl_FragCoord.xy / scale() + margin());
        gl_FragColor = vec4(color.rgb / max(color.a, 0.0001), color.a);
    }
}
