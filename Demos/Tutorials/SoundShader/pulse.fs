/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Zooms with the bass and draws a ring of its level",
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "spectrum", "TYPE": "audioFFT", "MAX": 128 },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 2.0 }
    ]
}*/

void main() {
    // The loudest of the eight lowest bands, up to 1.5 kHz at a sample rate of 48 kHz.
    float bass = 0.0;
    for (int band = 0; band < 8; band++)
        bass = max(bass, IMG_NORM_PIXEL(spectrum, vec2((float(band) + 0.5) / 128.0, 0.5)).r);
    float level = amount * sqrt(bass);

    vec2 place = isf_FragNormCoord - 0.5;
    vec4 source = IMG_NORM_PIXEL(inputImage, 0.5 + place / (1.0 + 0.3 * level));
    float radius = length(place * vec2(RENDERSIZE.x / RENDERSIZE.y, 1.0));
    float ring = step(0.01, level) * (1.0 - smoothstep(0.0, 0.02, abs(radius - 0.45 * level)));
    gl_FragColor = vec4(mix(source.rgb, vec3(1.0, 0.7, 0.2), ring), source.a);
}
