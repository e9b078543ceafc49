/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Takes away noise and leaves edges",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Stylize"],
    "PLAYHEAD": { "ALPHA": "keeps-opaque" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 0.5, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
        { "NAME": "strength", "LABEL": "Difference that counts as noise", "TYPE": "float",
          "DEFAULT": 0.08, "MIN": 0.005, "MAX": 0.3 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// A bilateral filter (Tomasi and Manduchi, 1998): the mean of 49 pixels, of which those count that
// are near and look alike. An edge looks unlike on its two sides, so it stays.

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    vec3 sum = source.rgb;
    float total = 1.0;
    for (int y = -3; y <= 3; y++) {
        for (int x = -3; x <= 3; x++) {
            if (x == 0 && y == 0) continue;
            vec3 color = IMG_PIXEL(inputImage, gl_FragCoord.xy + vec2(x, y)).rgb;
            vec3 difference = color - source.rgb;
            float weight = exp(-float(x * x + y * y) / 8.0
                - dot(difference, difference) / max(2.0 * strength * strength, 0.00001));
            sum += weight * color;
            total += weight;
        }
    }
    gl_FragColor = vec4(mix(source.rgb, sum / total, amount), source.a);
}
