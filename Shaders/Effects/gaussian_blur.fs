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
// A Gaussian blur is separable: rows first, then columns. The standard deviation is half the
// radius. If it is more than a few pixels, a smaller image is blurred, because the blur removes the
// missing detail anyway. So no blur takes more than a few samples.

// The number of pixels in each direction that are reduced to one pixel of the small image.
float scale() { return max(1.0, 2.0 * floor(radius / 8.0)); }

// The margin of the small image beyond its edges, in its pixels. The edge pixels are repeated in it
// as far as the blur reaches.
float margin() { return scale() > 1.0 ? 12.0 : 0.0; }

// Returns a pixel without a filter. The colour is premultiplied before it is added up, because
// transparent pixels have no colour.
vec4 pixel(vec2 place) {
#ifdef PLAYHEAD
    vec2 inside = clamp(place, vec2(0.5), IMG_SIZE(inputImage) - 0.5);
    vec4 color = texelFetch(inputImage, ivec2(inside), 0);
#else
    vec4 color = IMG_PIXEL(inputImage, place);
#endif
    return vec4(color.rgb * color.a, color.a);
}

// A pixel of the small image is the mean of the pixels that it represents.
vec4 smaller() {
    int count = int(scale());
    vec2 corner = (floor(gl_FragCoord.xy) - margin()) * scale() + 0.5;
    vec4 sum = vec4(0.0);
    for (int y = 0; y < count; y++) {
        for (int x = 0; x < count; x++) sum += pixel(corner + vec2(x, y));
    }
    return sum / float(count * count);
}

// The variance in pixels of the small image, without the variance that scaling down and up adds: a
// twelfth for the mean over a pixel, a sixth for the linear filter.
float variance() {
    float sigma = 0.5 * radius / scale();
    return max(sigma * sigma - (scale() > 1.0 ? 1.0 / 12.0 + 1.0 / 6.0 : 0.0), 0.000001);
}

float weight(float distance) { return exp(-distance * distance / (2.0 * variance())); }

// Samples are read in pairs: a linear filter mixes two neighbours in the right proportion.
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
